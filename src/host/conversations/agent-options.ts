import { whyNeverAsked } from '../../client/explain-permissions.js';
import { givenOptions } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { OptionError } from '../../protocol/base/errors.js';
import type { CanUseTool } from '../../protocol/permissions/permissions.js';
import type { HookCallback } from '../../protocol/wire/hooks.js';
import type { OnElicitation } from '../../protocol/wire/host-callbacks.js';
import type { HostedJournal } from './hosted-journal.js';
import type { HostedStore } from './hosted-store.js';

/** What the host decides: which conversation goes on, where it is kept, and when it ends. */
const OURS = [
  'abortController',
  'continue',
  'forkSession',
  'resume',
  'resumeDropsTurn',
  'resumeSessionAt',
  'sessionId',
  'sessionStore',
  'sessionStoreFlush',
  'signal',
  'throwOnErrorResult',
] as const satisfies (keyof Options)[];

/** What a conversation's agent is given besides its own options. */
export interface HostSide {
  readonly store: HostedStore;
  readonly journal: HostedJournal;
  readonly canUseTool: CanUseTool;
  readonly onElicitation: OnElicitation;
  /** The transcript to go on from; undefined: it begins. */
  readonly resume: string | undefined;
  readonly partialMessages: boolean;
  /** Calls that people were asked about before. */
  readonly asked: ReadonlySet<string>;
}

/** Throws an `OptionError` for options that cannot be hosted, or that no query takes. */
export function checkAgentOptions(options: Options): void {
  const taken = OURS.find((name) => options[name] !== undefined && options[name] !== null);
  if (taken !== undefined) {
    const text = `\`options.${taken}\` is the host's to decide, for each of its conversations. Leave it out.`;
    throw new OptionError(taken, options[taken], text);
  }
  if (options.persistSession === false) {
    const text = '`options.persistSession` is false, but a host stores its conversations. Leave it out.';
    throw new OptionError('persistSession', false, text);
  }
  const { runtime } = options;
  if (runtime != null && runtime.withJournal === undefined) {
    const text =
      '`options.runtime` has no `withJournal()`: if the program is killed, nobody would know which calls have run. Use `embedded()` of tenon/runtime, or add the method.';
    throw new OptionError('runtime', runtime, text);
  }
  givenOptions(options, 'createHost');
}

/** Whether its agent is a process of the CLI. */
export function isCli({ runtime, transport }: Options): boolean {
  return runtime == null && transport == null;
}

/** The options of the query. */
export function agentOptions(given: Options, host: HostSide): Options {
  const { store, journal, resume, partialMessages } = host;
  const options: Options = {
    ...given,
    sessionStore: store,
    // The CLI is put away at any moment: what it has said has to be stored by then.
    sessionStoreFlush: given.runtime == null ? 'eager' : 'batched',
    throwOnErrorResult: false,
    includePartialMessages: given.includePartialMessages ?? partialMessages,
    onElicitation: askedFirst(given.onElicitation, host.onElicitation),
    ...(given.runtime == null ? {} : { runtime: given.runtime.withJournal?.(journal) ?? given.runtime }),
    ...(resume === undefined ? {} : { resume }),
    ...(host.asked.size === 0 ? {} : { hooks: askedAgain(given.hooks, host.asked) }),
  };
  if (given.permissionPromptToolName != null) return options;
  const canUseTool = askedFirst(given.canUseTool, host.canUseTool);
  const isNeeded = given.canUseTool != null || whyNeverAsked({ ...options, canUseTool }) === undefined;
  return isNeeded ? { ...options, canUseTool } : options;
}

/** Whatever rules say by now: what somebody has denied is not made, and what somebody has changed is made as changed. */
function askedAgain(hooks: Options['hooks'], asked: ReadonlySet<string>): Options['hooks'] {
  const ask: HookCallback = async (input) => {
    const wasAsked = input.hook_event_name === 'PreToolUse' && asked.has(input.tool_use_id);
    return wasAsked ? ASK : {};
  };
  return { ...hooks, PreToolUse: [{ hooks: [ask] }, ...(hooks?.PreToolUse ?? [])] };
}

const ASK = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } } as const;

/** The program itself may know the answer; `null` leaves it to people. */
function askedFirst<Question extends unknown[], Answer>(
  program: ((...question: Question) => Promise<Answer | null>) | null | undefined,
  people: (...question: Question) => Promise<Answer | null>,
): (...question: Question) => Promise<Answer | null> {
  if (program == null) return people;
  return async (...question) => (await program(...question)) ?? people(...question);
}
