import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { findClaudeCode, OptionError, type Options } from '../../index.js';
import type { Model } from '../../runtime/model.js';
import { chooseRuntime, modelSource, RUNTIMES } from '../run/choose-runtime.js';
import { rehearsalModel } from './rehearsal-model.js';

export const ANSWERERS = [...RUNTIMES, 'rehearsal'] as const;

/** What answers in the playground. */
export interface Answerer {
  readonly options: Pick<Options, 'runtime' | 'pathToClaudeCodeExecutable' | 'env'>;
  /** For the page. */
  readonly name: string;
  /** For the terminal: also where it was found. */
  readonly announcement: string;
  readonly isReal: boolean;
  /** Whether what was said can be gone on with after the agent has died. */
  readonly isKept: boolean;
}

/** The CLI if there is one, else a model with a key; else a rehearsal. A recording takes the place of any of them. */
export async function chooseAnswerer(
  given: { readonly runtime?: string; readonly replay?: string },
  env: NodeJS.ProcessEnv,
): Promise<Answerer> {
  const { runtime, replay } = given;
  if (replay !== undefined) return recorded(replay, runtime);
  if (runtime === 'rehearsal')
    return rehearsal('A rehearsal model answers, as asked for. It understands nothing, but calls your tools');
  const hasModel = modelSource(env) !== undefined;
  const hasCli = runtime !== 'embedded' && findClaudeCode({ env }).path !== undefined;
  if (runtime !== 'cli' && !hasCli && !hasModel) {
    const missing =
      runtime === 'embedded' ? 'No key was found' : 'Neither a Claude Code CLI nor a key was found';
    return rehearsal(`${missing}: a rehearsal model answers. It understands nothing, but calls your tools`);
  }
  return { ...(await chooseRuntime(runtime, env)), isReal: true, isKept: true };
}

async function rehearsal(name: string): Promise<Answerer> {
  // It cannot search for tools: it is offered all of them.
  return embeddedWith(rehearsalModel(), name, Number.MAX_SAFE_INTEGER);
}

async function recorded(file: string, runtime: string | undefined): Promise<Answerer> {
  if (runtime !== undefined && runtime !== 'embedded') {
    throw new OptionError(
      '--replay',
      file,
      `--replay needs the embedded runtime, and cannot be used with --runtime ${runtime}.`,
    );
  }
  if (!existsSync(file)) {
    throw new OptionError(
      '--replay',
      file,
      `--replay "${file}": there is no such file. Record one: tenon run "…" --runtime embedded --record ${file}`,
    );
  }
  const { recordReplay } = await import('../../testing/index.js');
  const model = recordReplay(rehearsalModel(), file, { mode: 'replay' });
  return embeddedWith(
    model,
    `The recorded answers of ${basename(file)} are given again, to the prompts of then`,
  );
}

async function embeddedWith(model: Model, name: string, deferAbove?: number): Promise<Answerer> {
  const { embedded } = await import('../../runtime/index.js');
  const options = { runtime: embedded({ model, deferAbove }) };
  return { options, name, announcement: `${name}.`, isReal: false, isKept: false };
}
