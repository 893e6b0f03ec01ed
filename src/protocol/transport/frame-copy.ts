import type { SecretValues } from '../base/secret-values.js';
import { REDACTED, SECRET_MAPS } from '../base/secret-values.js';
import type { Frame } from '../wire/frames.js';

/** No agent's frame comes close; only a cyclic value does. */
const MAX_DEPTH = 200;
const TOO_DEEP = '<too deep>';
const SECRET_KEYS: ReadonlySet<string> = new Set(SECRET_MAPS);

export interface CopyRules {
  secrets: SecretValues;
  /** Whether the values of every `env` and `headers` are hidden, whoever set them. */
  hidesMaps: boolean;
}

/** The frame as its line would read, without secrets; frozen, because all observers share it. */
export function frameCopy(frame: Frame, rules: CopyRules): Frame {
  return copy(frame, rules, 0) as Frame;
}

function copy(value: unknown, rules: CopyRules, depth: number): unknown {
  if (typeof value === 'string') return rules.secrets.hide(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return isWritten(value) ? value : null;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item, rules, depth + 1)));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copy(toJSON.call(value), rules, depth + 1);
  const shown: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (!isWritten(item)) continue;
    const field = rules.hidesMaps && SECRET_KEYS.has(key) ? hiddenMap(item) : copy(item, rules, depth + 1);
    if (key === '__proto__') Object.defineProperty(shown, key, { value: field, enumerable: true });
    else shown[key] = field;
  }
  return Object.freeze(shown);
}

/** JSON omits values that it cannot express. */
function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function hiddenMap(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return REDACTED;
  return Object.freeze(Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED])));
}
