import { messageOf, OptionError } from '../../protocol/base/errors.js';
import {
  optionalText,
  type Received,
  recordField,
  textField,
} from '../../protocol/channel/received-fields.js';
import type { HookCallbackRequest, InitializeRequest } from '../../protocol/wire/control-requests.js';
import { hookAnswer } from '../../protocol/wire/hook-answers.js';
import { hookMatcherProblem } from '../../protocol/wire/hook-matcher.js';
import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
} from '../../protocol/wire/hooks.js';

type HooksOption = Partial<Record<HookEvent, HookCallbackMatcher[] | undefined>>;

interface RegisteredHook {
  readonly callback: HookCallback;
  readonly onFailure: HookCallbackMatcher['onFailure'];
}

/** The callbacks of the `hooks` option, by the ids that the agent uses to call them. */
export class Hooks {
  readonly #callbacks: RegisteredHook[] = [];
  readonly #registration: NonNullable<InitializeRequest['hooks']> = {};

  constructor(hooks: HooksOption = {}) {
    for (const [event, matchers] of Object.entries(hooks)) {
      if (matchers == null) continue;
      if (!Array.isArray(matchers)) throw invalidHooks(event, matchers);
      if (matchers.length === 0) continue;
      this.#registration[event as HookEvent] = matchers.map((matcher) => this.#register(event, matcher));
    }
  }

  get isEmpty(): boolean {
    return this.#callbacks.length === 0;
  }

  announcement(): InitializeRequest {
    return Object.keys(this.#registration).length > 0 ? { hooks: this.#registration } : {};
  }

  async call(fields: Received<HookCallbackRequest>, signal: AbortSignal): Promise<HookJSONOutput> {
    const id = textField(fields, 'callback_id');
    const [, index] = /^hook_(\d+)$/.exec(id) ?? [];
    const hook = index === undefined ? undefined : this.#callbacks[Number(index)];
    if (hook === undefined) throw new Error(`No hook callback found for ID: ${id}`);
    const input = recordField(fields, 'input') as HookInput;
    const { hook_event_name: event } = input;
    try {
      return hookAnswer(event, await hook.callback(input, optionalText(fields, 'tool_use_id'), { signal }));
    } catch (error) {
      // Told of the failure, the CLI would run the tool.
      if (event !== 'PreToolUse' || hook.onFailure === 'continue') throw error;
      return failedGuard(messageOf(error));
    }
  }

  #register(event: string, entry: HookCallbackMatcher) {
    if (!Array.isArray(entry?.hooks) || entry.hooks.some((hook) => typeof hook !== 'function')) {
      throw invalidHooks(event, entry);
    }
    const { matcher, hooks, timeout, onFailure } = entry;
    const problem = hookMatcherProblem(matcher ?? undefined);
    if (problem !== undefined) {
      throw new OptionError(`hooks.${event}`, matcher, `hooks.${event}: the matcher ${problem}.`);
    }
    const hookCallbackIds = hooks.map(
      (callback) => `hook_${this.#callbacks.push({ callback, onFailure }) - 1}`,
    );
    return {
      ...(matcher === undefined ? {} : { matcher }),
      hookCallbackIds,
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    };
  }
}

/** A hook before a tool that fails is a denial, and the user is told of the failure. */
function failedGuard(reason: string): HookJSONOutput {
  const text = `PreToolUse hook failed: ${reason}`;
  return {
    systemMessage: text,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: text,
    },
  };
}

function invalidHooks(event: string, value: unknown): OptionError {
  return new OptionError(
    `hooks.${event}`,
    value,
    `hooks.${event}: each matcher needs \`hooks\`, an array of functions: [{ matcher?, hooks: [fn], timeout? }].`,
  );
}
