import { OptionError } from '../../protocol/base/errors.js';
import {
  optionalText,
  type Received,
  recordField,
  textField,
} from '../../protocol/channel/received-fields.js';
import type { HookCallbackRequest, InitializeRequest } from '../../protocol/wire/control-requests.js';
import { hookMatcherProblem } from '../../protocol/wire/hook-matcher.js';
import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
} from '../../protocol/wire/hooks.js';

type HooksOption = Partial<Record<HookEvent, HookCallbackMatcher[] | undefined>>;

/** The callbacks of the `hooks` option, by the ids that the agent uses to call them. */
export class Hooks {
  readonly #callbacks: HookCallback[] = [];
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
    const callback = index === undefined ? undefined : this.#callbacks[Number(index)];
    if (callback === undefined) throw new Error(`No hook callback found for ID: ${id}`);
    const input = recordField(fields, 'input') as HookInput;
    // A callback that returns nothing lets the agent continue.
    return (await callback(input, optionalText(fields, 'tool_use_id'), { signal })) ?? {};
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
    const hookCallbackIds = hooks.map((hook) => `hook_${this.#callbacks.push(hook) - 1}`);
    return {
      ...(matcher === undefined ? {} : { matcher }),
      hookCallbackIds,
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    };
  }
}

function invalidHooks(event: string, value: unknown): OptionError {
  return new OptionError(
    `hooks.${event}`,
    value,
    `hooks.${event}: each matcher needs \`hooks\`, an array of functions: [{ matcher?, hooks: [fn], timeout? }].`,
  );
}
