import { OptionError } from '../protocol/base/errors.js';
import type { Inspection, InspectOptions } from './inspect.js';
import { startInspector } from './inspector.js';
import { PageQuestions } from './page-questions.js';
import { watchProcess } from './watch-process.js';

/** What the agents that this process starts read; see `TENON_INSPECT_OTLP` in the guide. */
const [ENDPOINT, TOKEN] = ['TENON_INSPECT_OTLP', 'TENON_INSPECT_OTLP_TOKEN'];

export async function startInspection(options: InspectOptions & { title: string }): Promise<Inspection> {
  const { title, control = false, canUseTool, ...where } = options;
  if (canUseTool !== undefined && !control) {
    throw new OptionError(
      'canUseTool',
      canUseTool,
      '`canUseTool` is asked beside the page, which needs `control: true`.',
    );
  }
  const questions = control ? new PageQuestions(canUseTool) : undefined;
  const inspector = await startInspector({
    ...where,
    title,
    source: 'program',
    keepsAlive: false,
    ...(questions === undefined ? {} : { control: { answer: (id, answer) => questions.answer(id, answer) } }),
  });
  questions?.askIn(inspector);
  inspector.program({ state: 'running' });
  const stop = watchProcess(inspector);
  const forget = announce(inspector.otlp);
  const close = async (): Promise<void> => {
    stop();
    forget();
    questions?.close();
    await inspector.close();
  };
  return {
    url: inspector.url,
    ...(questions === undefined ? {} : { canUseTool: questions.canUseTool }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Unless an inspector outside of this process has them already. Returns a function that takes it back. */
function announce({ endpoint, token }: { endpoint: string; token: string }): () => void {
  if (process.env[ENDPOINT] !== undefined) return () => {};
  Object.assign(process.env, { [ENDPOINT]: endpoint, [TOKEN]: token });
  return () => {
    if (process.env[ENDPOINT] !== endpoint) return;
    delete process.env[ENDPOINT];
    delete process.env[TOKEN];
  };
}
