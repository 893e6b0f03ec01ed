import { childEnvironment } from './environment.js';
import { OPTION_TABLE } from './option-table.js';
import type { Options } from './options.js';
import { emptyPlan } from './plan.js';
import type { ClientSettings, GivenOptions, Placed, Row } from './row.js';

/**
 * Everything a query is started with: how the agent is started, what `initialize` tells it, and the
 * client's settings.
 */
export interface PlannedQuery extends Omit<Placed, 'env'> {
  /** The agent's whole environment. */
  readonly env: NodeJS.ProcessEnv;
}

const NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[];

const DEFAULT_SETTINGS = Object.assign(
  {},
  ...NAMES.map((name) => OPTION_TABLE[name].to.fallback),
) as ClientSettings;

/** MCP servers are not in it: they also depend on files, so whoever starts the agent resolves them. */
export function planOf(options: GivenOptions): PlannedQuery {
  const placed: Placed = {
    plan: emptyPlan(),
    initialize: {},
    env: {},
    settings: { ...DEFAULT_SETTINGS },
  };
  // Without the option, the SDK's contract is an empty system prompt; the agent's own is the preset.
  if (options.systemPrompt === undefined) placed.initialize.systemPrompt = [''];
  for (const name of NAMES) {
    const value = options[name];
    if (value !== undefined) (OPTION_TABLE[name] as Row<unknown>).to.put(value, placed, options);
  }
  return { ...placed, env: childEnvironment(options.env, placed.env) };
}
