import type { ResultFailure, SDKResultMessage } from '../../protocol/wire/messages/index.js';
import { unwrapStructure } from '../../protocol/wire/structured-output.js';

/**
 * Puts the structure that was asked for where it belongs. If the agent calls it a success without one, as the CLI does
 * when the model never gives it, that is returned as a failure.
 */
export function checkStructure(
  result: SDKResultMessage,
  schema: Readonly<Record<string, unknown>>,
): ResultFailure | undefined {
  if (result.subtype !== 'success') return undefined;
  if (result.structured_output !== undefined) {
    result.structured_output = unwrapStructure(result.structured_output, schema);
    return undefined;
  }
  if (!isAnswer(result)) return undefined;
  const message = 'The model did not give the structure that `outputFormat` asks for.';
  return { kind: 'structured_output', retryable: false, message };
}

/** A local command, a refused prompt and a turn that was stopped or put off have no answer. */
function isAnswer({ num_turns, terminal_reason, ...result }: SDKResultMessage): boolean {
  if (num_turns === 0 || 'local_command' in result || 'deferred_tool_use' in result) return false;
  return terminal_reason === undefined || terminal_reason === 'completed';
}
