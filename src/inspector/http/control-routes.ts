import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { QuestionAnswer } from '../feed-lines.js';
import type { InspectorControl } from '../inspector-types.js';
import { jsonBody, Refusal, respondJson } from './respond.js';
import type { Exchange, Site } from './routes.js';

const ANSWERS: readonly QuestionAnswer[] = ['yes', 'always', 'no', 'never'];

export async function answer({ request, response }: Exchange, { control }: Site): Promise<void> {
  const allowed = allowedIn(control);
  const { id, answer: given } = await recordIn(request);
  if (typeof id !== 'string' || !ANSWERS.includes(given as QuestionAnswer)) {
    throw new Refusal(400, `An answer has an "id" and an "answer", which is one of ${ANSWERS.join(', ')}.`);
  }
  if (!allowed.answer(id, given as QuestionAnswer)) {
    throw new Refusal(409, 'The question has been answered, or withdrawn.');
  }
  respondJson(response, {});
}

export async function call({ request, response }: Exchange, { control, redactor }: Site): Promise<void> {
  const allowed = allowedIn(control);
  if (allowed.call === undefined)
    throw new Refusal(409, 'The tools of this program can be called only by it.');
  const { server, tool, arguments: given } = await recordIn(request);
  if (typeof server !== 'string' || typeof tool !== 'string' || !isRecord(given)) {
    throw new Refusal(400, 'A call has a "server", a "tool" and "arguments", which are an object.');
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const result = await allowed.call({ server, tool, arguments: given }, gone.signal);
    respondJson(response, redactor.value(result));
  } catch (error) {
    if (!gone.signal.aborted) throw new Refusal(422, redactor.text(messageOf(error)));
  }
}

export async function prompt({ request, response }: Exchange, { control }: Site): Promise<void> {
  const allowed = allowedIn(control);
  if (allowed.prompt === undefined) throw new Refusal(409, 'This program asks its own questions.');
  const { text } = await recordIn(request);
  if (typeof text !== 'string' || text.trim() === '') throw new Refusal(400, 'A prompt has a "text".');
  allowed.prompt(text);
  respondJson(response, {}, 202);
}

export async function interrupt({ response }: Exchange, { control }: Site): Promise<void> {
  const allowed = allowedIn(control);
  if (allowed.interrupt === undefined) throw new Refusal(409, 'Only the program can interrupt its turns.');
  await allowed.interrupt();
  respondJson(response, {});
}

function allowedIn(control: InspectorControl | undefined): InspectorControl {
  if (control !== undefined) return control;
  throw new Refusal(
    403,
    'This inspector only shows. To answer and call from it, start it with --inspect=control.',
  );
}

async function recordIn(request: Exchange['request']): Promise<Record<string, unknown>> {
  const body = await jsonBody(request);
  if (isRecord(body)) return body;
  throw new Refusal(400, 'The body is not an object.');
}
