import { LIMITS } from '../../protocol/base/limits.js';
import type { BashInput } from '../../protocol/wire/tools/commands.js';
import { checkedInput, type InputSchema } from './checked-input.js';
import { leadingSleep } from './command-words.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment says about commands. */
export interface CommandLimits {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly outputBytes: number;
  /** Commands may go on while the conversation does. */
  readonly hasBackground: boolean;
}

export function commandLimits(env: Environment): CommandLimits {
  const timeoutMs = numberIn(env.BASH_DEFAULT_TIMEOUT_MS) ?? LIMITS.commandMs;
  return {
    timeoutMs,
    maxTimeoutMs: Math.max(numberIn(env.BASH_MAX_TIMEOUT_MS) ?? LIMITS.commandMaxMs, timeoutMs),
    outputBytes: Math.min(
      numberIn(env.BASH_MAX_OUTPUT_LENGTH) ?? LIMITS.commandOutputBytes,
      LIMITS.commandOutputMaxBytes,
    ),
    hasBackground: !/^(1|true|yes|on)$/i.test(env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS ?? ''),
  };
}

function numberIn(text: string | undefined): number | undefined {
  const number = Number(text ?? '');
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

export function bashSchema({ timeoutMs, maxTimeoutMs, hasBackground }: CommandLimits): InputSchema {
  return {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command line, for bash.' },
      timeout: {
        type: 'number',
        description: `How many milliseconds it may take: ${timeoutMs} unless given, at most ${maxTimeoutMs}.`,
      },
      description: { type: 'string', description: 'What it does, in a few words for the user.' },
      ...(hasBackground && {
        run_in_background: {
          type: 'boolean',
          description: 'Do not wait for it. You are told when it has ended.',
        },
      }),
    },
    required: ['command'],
    additionalProperties: false,
  };
}

/** Throws with what is wrong with the call, for the model to mend. */
export function readBashInput(limits: CommandLimits, input: Readonly<Record<string, unknown>>): BashInput {
  const checked = checkedInput('Bash', bashSchema(limits), input) as unknown as BashInput;
  const { seconds = 0, isAlone } = leadingSleep(checked.command) ?? {};
  if (checked.run_in_background !== true && seconds >= LIMITS.leadingSleepSeconds) {
    const what = isAlone
      ? `A command that only waits for ${seconds} s`
      : `A command that waits for ${seconds} s first`;
    throw new Error(
      `${what} is not run, because everybody would wait for it. Run what you are waiting for with run_in_background, ` +
        'which tells you when it has ended, or wait for a condition: until <check>; do sleep 1; done',
    );
  }
  return checked;
}

/** How long a call waits for its command. */
export function waitOf({ timeout = 0 }: BashInput, limits: CommandLimits): number {
  return Math.min(timeout > 0 ? timeout : limits.timeoutMs, limits.maxTimeoutMs);
}

/** How long a command may run in the background. */
export function backgroundLimitOf({ timeout = 0, run_in_background }: BashInput): number {
  if (run_in_background !== true || timeout <= 0) return LIMITS.backgroundCommandMs;
  return Math.min(timeout, LIMITS.backgroundCommandMaxMs);
}
