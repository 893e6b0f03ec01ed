import type { BashOutput } from '../../protocol/wire/tools/commands.js';
import type { ToolOutcome } from '../../runtime/tools/tool-port.js';
import type { CommandEnd } from '../workspace.js';
import type { CommandOutput } from './command-output.js';
import { isSilent, meaningOf } from './command-words.js';

/** How much of an output that is too long the model reads at once. */
const PREVIEW_CHARS = 2_000;

export interface CommandFacts {
  readonly command: string;
  readonly output: CommandOutput;
  /** Where the whole output is, if that is not what `output` has. */
  readonly savedAt: string | undefined;
  /** What else the model must know, such as that the shell is in another directory now. */
  readonly note?: string | undefined;
}

/** The result of a command that has ended by itself. */
export function endedResult(facts: CommandFacts, end: CommandEnd): ToolOutcome {
  const code = exitCode(end);
  const meaning = meaningOf(facts.command, code);
  if (code !== 0 && meaning === undefined) return failedResult(facts, code);
  const { command, note } = facts;
  return result(facts, {
    noOutputExpected: isSilent(command),
    ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
    ...(note === undefined ? {} : { stderr: `\n${note}` }),
  });
}

/** The result of a command that has failed, or was ended. */
export function failedResult({ output, savedAt }: CommandFacts, code: number, why?: string): ToolOutcome {
  const where = savedAt === undefined ? undefined : `[The whole output is in ${savedAt}]`;
  const parts = [`Exit code ${code}`, why, output.text.trimEnd(), where];
  const text = parts.filter((part) => part !== undefined && part !== '').join('\n');
  return { content: text, isError: true, detail: `Error: ${text}` };
}

/** The result of a command that goes on in the background. */
export function backgroundResult(facts: CommandFacts, more: Partial<BashOutput>, told: string): ToolOutcome {
  return result(facts, { noOutputExpected: false, ...more }, told);
}

function result(facts: CommandFacts, more: Partial<BashOutput>, told?: string): ToolOutcome {
  const { output, savedAt } = facts;
  const stdout = trimmed(output.text);
  const detail = {
    stdout,
    stderr: '',
    interrupted: false,
    isImage: imageIn(stdout) !== undefined,
    ...more,
    ...(savedAt === undefined ? {} : { persistedOutputPath: savedAt, persistedOutputSize: output.bytes }),
  } satisfies BashOutput;
  const content = contentOf(detail, told);
  return { content, ...(typeof content === 'string' ? { isError: false } : {}), detail };
}

/** What the model reads of an output that a hook has changed; undefined if it is not one of a command. */
export function shownOutput(output: unknown): ToolOutcome['content'] | undefined {
  const { stdout, stderr, interrupted } = (output ?? {}) as Partial<BashOutput>;
  const isOutput =
    typeof stdout === 'string' && typeof stderr === 'string' && typeof interrupted === 'boolean';
  return isOutput ? contentOf(output as BashOutput) : undefined;
}

function contentOf(output: BashOutput, told = ''): ToolOutcome['content'] {
  const { stdout, stderr, persistedOutputPath: path, persistedOutputSize: bytes = 0 } = output;
  const image = imageIn(stdout);
  if (image !== undefined) return [image];
  const shown = path === undefined ? stdout : preview(stdout, path, bytes);
  const texts = [shown, stderr.trim(), told].filter((text) => text !== '');
  return texts.length === 0 ? '(Bash completed with no output)' : texts.join('\n');
}

/** Without empty lines around it. */
function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

function preview(stdout: string, path: string, bytes: number): string {
  return [
    '<persisted-output>',
    `The output is too long to be shown (${bytes} bytes). All of it is in ${path}`,
    '',
    'It begins:',
    stdout.slice(0, PREVIEW_CHARS),
    '</persisted-output>',
  ].join('\n');
}

const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$/;

/** A command can show a picture by printing it as a data URL. */
function imageIn(stdout: string) {
  const [, mediaType, data] = IMAGE.exec(stdout) ?? [];
  if (mediaType === undefined || data === undefined) return undefined;
  return {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: mediaType as 'image/png', data },
  };
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** As a shell tells it: a signal is added to 128. */
export function exitCode({ code, signal }: CommandEnd): number {
  return code ?? 128 + (SIGNALS[signal ?? ''] ?? 0);
}
