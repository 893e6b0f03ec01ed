import { isRecord } from '../../protocol/base/kinds.js';
import type { ScriptedRequest } from '../script/request.js';

/** Above every observed side request (1 and 512), far below every main request (32,000 and more). */
const LARGEST_SMALL_ANSWER = 1024;

/**
 * Distinguishes the CLI's side requests from those of the conversation, so that they do not use up script
 * steps.
 *
 * Observed with real CLIs in stream-json mode. A main request, including a subagent's, nearly always has
 * tools; with `--tools=` it has none, but then it asks the session's model for a long answer. Side requests
 * never have tools:
 *
 * - `max_tokens: 1`: the model check of `set_model` (2.1.325), the quota probe of interactive use;
 * - `max_tokens: 512`, a small model: command prefixes, file paths in the output of Bash (1.0.60, 1.0.128);
 * - a small model with a large limit and no thinking: the same questions in 2.0.30 to 2.1.50;
 * - the one word "Warmup" to either model: preparation of subagents (2.0.30, 2.0.76);
 * - `output_config.format`, the session's own model: session titles (2.1.325). Structured output requested by
 *   the user comes as a tool, so it is not mistaken for this.
 *
 * The one ambiguous case is a session without tools on a small model without thinking in an old CLI; pass
 * `isSideRequest: () => false` there. Clients other than the CLI have no side requests at all.
 */
export function isClaudeCodeSideRequest(request: ScriptedRequest): boolean {
  if (!request.headers['user-agent']?.startsWith('claude-cli/')) return false;
  if (request.toolNames.length > 0) return false;
  const { max_tokens = Number.POSITIVE_INFINITY, model = '', output_config, thinking } = request.body;
  return (
    max_tokens <= LARGEST_SMALL_ANSWER ||
    request.lastUserText === 'Warmup' ||
    (isRecord(output_config) && 'format' in output_config) ||
    (model.includes('haiku') && thinking === undefined)
  );
}
