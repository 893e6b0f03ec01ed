import { EMBEDDED_RUNTIME } from '../../options/agent-runtime.js';
import type { GivenOptions } from '../../options/row.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { RunFacts } from '../../protocol/transport/run-events.js';
import { CLAUDE_CODE } from '../launch/launch.js';

/** Options whose texts are names of things, never secrets. */
const SHOWN: ReadonlySet<keyof GivenOptions> = new Set([
  'agent',
  'allowedTools',
  'betas',
  'disallowedTools',
  'effort',
  'executable',
  'fallbackModel',
  'isolation',
  'model',
  'permissionMode',
  'permissionPrompts',
  'sessionStoreFlush',
  'settingSources',
  'tools',
]);

/** Options whose names are of use, and whose values may be secret. */
const NAMED: ReadonlySet<keyof GivenOptions> = new Set(['agents', 'env', 'extraArgs', 'hooks', 'mcpServers']);

/** What a recording says about how a conversation was begun. */
export function factsOf(options: GivenOptions): RunFacts {
  const { runtime, transport } = options;
  const shown = Object.entries(options).map(([name, value]) => [
    name,
    harmless(name as keyof GivenOptions, value),
  ]);
  const facts = { options: Object.fromEntries(shown) as RunFacts['options'] };
  if (transport !== undefined) return { ...facts, backEnd: 'transport', agent: 'The agent' };
  if (runtime === undefined) return { ...facts, backEnd: 'cli', agent: CLAUDE_CODE };
  const { name = 'The agent' } = runtime;
  return { ...facts, backEnd: name === EMBEDDED_RUNTIME ? 'embedded' : 'runtime', agent: name };
}

function harmless(name: keyof GivenOptions, value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'number' || SHOWN.has(name)) return value;
  if (NAMED.has(name) && isRecord(value)) return Object.keys(value);
  return `<${Array.isArray(value) ? 'array' : typeof value}>`;
}
