import type { RuntimeHook } from '../../protocol/wire/hook-inputs.js';
import type { BaseHookInput, HookInput } from '../../protocol/wire/hooks.js';

/** The input of the hooks of an event, without the fields that all hooks get. */
export type HookFields<Event extends RuntimeHook> = Omit<
  Extract<HookInput, { hook_event_name: Event }>,
  keyof BaseHookInput | 'hook_event_name'
>;

/** The subagent in which an event happens. */
export type HookAgent = Required<Pick<BaseHookInput, 'agent_id' | 'agent_type'>>;

/** An event for which hooks are called. */
export type HookCall = {
  [Event in RuntimeHook]: {
    event: Event;
    fields: HookFields<Event>;
    /** What the matcher is compared with, such as the name of a tool. */
    subject?: string;
    toolUseId?: string;
    /** The subagent in which it happens. */
    agent?: HookAgent;
    signal?: AbortSignal;
  };
}[RuntimeHook];

/** The event, and the tool if it concerns one. */
export function labelOf({ event, subject }: Pick<HookCall, 'event' | 'subject'>): string {
  return subject === undefined ? event : `${event}:${subject}`;
}
