import type { InboundRequest } from '../../protocol/control-channel.js';
import type { HookCallbackRequest, InitializeRequest } from '../../protocol/control-requests.js';
import { OptionError } from '../../protocol/errors.js';
import type { HookCallback, HookCallbackMatcher, HookEvent, HookJSONOutput } from '../../protocol/hooks.js';

type HooksOption = Partial<Record<HookEvent, HookCallbackMatcher[] | undefined>>;

/** The callbacks of the `hooks` option, under the ids by which the agent calls them. */
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

  async call(request: InboundRequest): Promise<HookJSONOutput> {
    const fields = request.fields as unknown as HookCallbackRequest;
    const [, index] = /^hook_(\d+)$/.exec(fields.callback_id) ?? [];
    const callback = index === undefined ? undefined : this.#callbacks[Number(index)];
    if (callback === undefined) throw new Error(`No hook callback found for ID: ${fields.callback_id}`);
    // A callback that returns nothing has nothing to say: the agent goes on.
    return (await callback(fields.input, fields.tool_use_id, { signal: request.signal })) ?? {};
  }

  #register(event: string, entry: HookCallbackMatcher) {
    if (!Array.isArray(entry?.hooks) || entry.hooks.some((hook) => typeof hook !== 'function')) {
      throw invalidHooks(event, entry);
    }
    const { matcher, hooks, timeout, onFailure } = entry;
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
