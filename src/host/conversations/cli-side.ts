import type { Options } from '../../options/options.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { CanUseTool, PermissionResult } from '../../protocol/permissions/permissions.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';
import type { PreToolUseHookInput } from '../../protocol/wire/hook-inputs.js';
import type { HookJSONOutput } from '../../protocol/wire/hook-outputs.js';
import type { JournaledCall } from '../../protocol/wire/journal.js';
import type { SDKMessage, SDKUserMessage } from '../../protocol/wire/messages/index.js';
import { append, NOT_MADE, type TakenUp, UNKNOWN } from './cli-take-up.js';
import { Addendum, openCalls } from './cli-transcript.js';
import type { HostedJournal } from './hosted-journal.js';
import type { HostedStore } from './hosted-store.js';
import { StoredCalls } from './stored-calls.js';

/** Tools of the CLI that change nothing: nobody minds if one of their calls is lost with the program, and made again. */
const HARMLESS: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'Glob',
  'Grep',
  'ListMcpResourcesTool',
  'Read',
  'ReadMcpResourceTool',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
]);

const GONE = 'This call was not made: its tool is no longer available.';
const NOT_STORED = 'The call could not be stored, so it was not made.';

/** What the CLI itself says when it goes on; marked as nobody's words, it is not listed among what was said. */
const GO_ON: SDKUserMessage = {
  type: 'user',
  message: { role: 'user', content: 'Continue from where you left off.' },
  parent_tool_use_id: null,
  isSynthetic: true,
  session_id: '',
};

/**
 * What a host does for a conversation on the CLI that the embedded runtime does itself. No call begins that is not in the
 * transcript, and none that somebody had to allow before the journal knows of it. So whoever finds the conversation after
 * the process has ended can tell what has become of its calls.
 */
export class CliSide {
  readonly #store: HostedStore;
  readonly #journal: HostedJournal;
  readonly #stored: StoredCalls;
  /** Calls whose hook was asked. */
  readonly #started = new Set<string>();
  /** Calls that somebody is asked about. */
  readonly #asked = new Set<string>();
  /** Calls that were allowed, until they have a result. */
  readonly #begun = new Map<string, JournaledCall>();
  /** The call that is tried again. */
  #retried: string | undefined;
  #unavailable = 0;
  #isGone = false;

  constructor(store: HostedStore, journal: HostedJournal) {
    this.#store = store;
    this.#journal = journal;
    this.#stored = new StoredCalls(store);
  }

  /** The options with what the host has to see. */
  around(options: Options): Options {
    const { hooks, canUseTool } = options;
    const before = { hooks: [(input: unknown) => this.#before(input as PreToolUseHookInput)] };
    return {
      ...options,
      hooks: { ...hooks, PreToolUse: [before, ...(hooks?.PreToolUse ?? [])] },
      ...(canUseTool == null ? {} : { canUseTool: this.#recorded(canUseTool) }),
    };
  }

  /** How the conversation is taken up. Undefined: nothing has to be said. */
  goOn({ next, sessionId }: TakenUp): SDKUserMessage | undefined {
    if (next.do !== 'try') return GO_ON;
    this.#retried = next.call;
    this.#stored.add(next.call, sessionId);
    return undefined;
  }

  /** Notes which calls have ended. */
  async hear(message: SDKMessage): Promise<void> {
    for (const block of resultsIn(message)) {
      const id = block.tool_use_id;
      const call = this.#begun.get(id);
      this.#begun.delete(id);
      this.#asked.delete(id);
      if (this.#retried === id) this.#retried = undefined;
      if (call !== undefined) await this.#journal.end(call, block);
      else this.#journal.ended(id);
    }
  }

  /**
   * The CLI tries a call as soon as it starts, and may not have reached its server by then. Returns what to say so that it
   * tries again, and after how long; undefined: the message is something else. Throws if the tool is gone.
   */
  again(message: SDKMessage): { afterMs: number; message: SDKUserMessage } | undefined {
    if (message.type !== 'result' || message.terminal_reason !== 'tool_deferred_unavailable')
      return undefined;
    const afterMs = LIMITS.hostUnavailableMs[this.#unavailable];
    this.#unavailable += 1;
    if (afterMs !== undefined) return { afterMs, message: GO_ON };
    this.#isGone = true;
    throw new TenonError('SERVER_FAILED', 'A call was allowed whose tool is no longer there.');
  }

  /**
   * The process has ended in the middle of a turn. Writes down what only its host knows of the calls that are open; returns
   * what that tells the model.
   */
  async putAway(): Promise<SDKUserMessage[]> {
    const known = await this.#store.newest();
    if (known === undefined) return [];
    const { sessionId, entries } = known;
    const addendum = new Addendum(entries);
    const open = openCalls(entries);
    // A call that was tried again and could not be reached has its answer already.
    const wasAsked = (id: string): boolean => this.#asked.has(id) || this.#retried === id;
    // Settings can turn hooks off. Then nobody knows of a call that it was not made.
    const isHookAsked = this.#started.size > 0;
    for (const call of open) {
      if (this.#isGone && this.#retried === call.id) addendum.refuse(call, GONE);
      else if (isHookAsked && !wasAsked(call.id) && !this.#started.has(call.id)) {
        addendum.refuse(call, NOT_MADE);
      }
    }
    if (!this.#isGone) for (const call of open) if (wasAsked(call.id) && !call.isNoted) addendum.note(call);
    await append(this.#store, sessionId, entries, addendum);
    return addendum.results;
  }

  /** Before permissions are looked at. What a subagent does is part of the call that has started it. */
  async #before(input: PreToolUseHookInput): Promise<HookJSONOutput> {
    const { tool_use_id: toolUseId, tool_name: toolName, session_id: sessionId } = input;
    if (input.agent_id !== undefined) return {};
    this.#started.add(toolUseId);
    this.#journal.started({ sessionId, toolUseId, toolName, input: input.tool_input });
    if (!HARMLESS.has(toolName) && (await this.#stored.sessionOf(toolUseId)) === undefined) {
      return decision('deny', NOT_STORED);
    }
    // Whatever rules say by now: somebody was asked about it, and may have allowed something else.
    return this.#retried === toolUseId ? decision('ask') : {};
  }

  #recorded(canUseTool: CanUseTool): CanUseTool {
    return async (toolName, input, context) => {
      const { toolUseID: toolUseId, agentID } = context;
      if (agentID !== undefined) return canUseTool(toolName, input, context);
      const sessionId = await this.#stored.sessionOf(toolUseId);
      if (sessionId === undefined) return deny(NOT_STORED);
      this.#asked.add(toolUseId);
      this.#journal.ended(toolUseId);
      const decided = await canUseTool(toolName, input, context);
      if (decided?.behavior !== 'allow') return decided;
      const call = { sessionId, toolUseId, toolName, input };
      const { state } = await this.#journal.begin(call);
      this.#asked.delete(toolUseId);
      if (state !== 'new') return deny(UNKNOWN);
      this.#begun.set(toolUseId, call);
      return decided;
    };
  }
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}

function decision(permissionDecision: 'ask' | 'deny', permissionDecisionReason?: string): HookJSONOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  };
}

/** The results of the conversation's own calls. */
function resultsIn(message: SDKMessage): ToolResultBlockParam[] {
  if (message.type !== 'user' || message.parent_tool_use_id !== null) return [];
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return (content as readonly { type: string }[]).filter(
    (block): block is ToolResultBlockParam => block.type === 'tool_result',
  );
}
