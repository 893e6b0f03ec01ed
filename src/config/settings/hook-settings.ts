import { HOOK_EVENTS, type HookEvent, RUNTIME_HOOKS } from '../../protocol/wire/hook-inputs.js';
import { hookMatcherProblem } from '../../protocol/wire/hook-matcher.js';
import { placeOf, type Refusal, type SettingsLayer } from './layer.js';

/** Events whose hooks could deny something that the runtime does without calling them. */
const LOST_EVENTS: readonly string[] = [
  'Elicitation',
  'ElicitationResult',
  'PostToolBatch',
  'PreModelSwitch',
];

/** A hook from the settings that is a program. */
export interface CommandHook {
  readonly event: HookEvent;
  readonly matcher: string | undefined;
  readonly command: string;
  /** Seconds. */
  readonly timeout: number | undefined;
  /** A permission rule: the hook is only called for calls that match it. */
  readonly condition: string | undefined;
  /** It is not awaited and decides nothing. */
  readonly isAsync: boolean;
  readonly source: SettingsLayer['source'];
  /** Where it is written. */
  readonly place: string;
}

interface WrittenHook {
  type: string;
  command?: unknown;
  timeout?: unknown;
  if?: unknown;
  async?: unknown;
  asyncRewake?: unknown;
  shell?: unknown;
}

type WrittenHooks = Readonly<Record<string, { matcher?: string; hooks: WrittenHook[] }[]>>;

/** The first problem of `hooks` that would lose something, or undefined. */
export function hooksProblem(value: unknown): Refusal | undefined {
  for (const [event, matchers] of Object.entries(value as WrittenHooks)) {
    const hooks = matchers.flatMap((each) => each.hooks);
    if (LOST_EVENTS.includes(event) && hooks.length > 0) {
      return { lacks: `\`hooks.${event}\`: the runtime never calls hooks of this event, which could say no` };
    }
    if (!RUNTIME_HOOKS.some((called) => called === event)) continue;
    const problem =
      matchers.map(({ matcher }) => hookMatcherProblem(matcher)).find((each) => each !== undefined) ??
      hooks.map(hookProblem).find((each) => each !== undefined);
    if (typeof problem === 'string') return `\`hooks.${event}\`: ${problem}`;
    if (problem !== undefined) return { lacks: `\`hooks.${event}\`: ${problem.lacks}` };
  }
  return undefined;
}

function hookProblem({ type, command, timeout, shell, if: condition }: WrittenHook): Refusal | undefined {
  if (type !== 'command') {
    return { lacks: `the runtime only runs hooks of type "command", not "${type}"` };
  }
  if (typeof command !== 'string') return '`command` must be a string';
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    return '`timeout` must be a number of seconds above 0';
  }
  if (condition !== undefined && typeof condition !== 'string') return '`if` must be a permission rule';
  return shell === undefined || shell === 'bash'
    ? undefined
    : { lacks: `\`shell\` "${shell}" is not available` };
}

/** The hooks that count. With `disableAllHooks` or `allowManagedHooksOnly`, only those of the policy do. */
export function commandHooks(layers: readonly SettingsLayer[]): CommandHook[] {
  const isManagedOnly = layers.some(
    ({ source, settings }) =>
      settings.disableAllHooks === true || (source === 'managed' && settings.allowManagedHooksOnly === true),
  );
  const isNone = layers.some(
    ({ source, settings }) => source === 'managed' && settings.disableAllHooks === true,
  );
  if (isNone) return [];
  return layers.filter(({ source }) => !isManagedOnly || source === 'managed').flatMap(hooksOf);
}

function hooksOf(layer: SettingsLayer): CommandHook[] {
  return Object.entries((layer.settings.hooks ?? {}) as WrittenHooks).flatMap(([event, matchers]) => {
    if (!HOOK_EVENTS.some((known) => known === event)) return [];
    return matchers.flatMap(({ matcher, hooks }) =>
      hooks.map((hook) => ({
        event: event as HookEvent,
        matcher,
        command: String(hook.command),
        timeout: hook.timeout as number | undefined,
        condition: hook.if as string | undefined,
        isAsync: hook.async === true || hook.asyncRewake === true,
        source: layer.source,
        place: placeOf(layer),
      })),
    );
  });
}
