import { TenonError } from '../../protocol/base/errors.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/wire/messages/index.js';

export type CompactMetadata = SDKCompactBoundaryMessage['compact_metadata'];

interface Expected {
  readonly uuid: string;
  resolve(metadata: CompactMetadata | undefined): void;
  reject(error: Error): void;
  metadata?: CompactMetadata;
  problem?: string;
}

/**
 * The compactions that the program has asked for by a method. Each is a prompt with a result of its own, which answers
 * the method: the consumer did not say anything, and would take the result for that of another prompt.
 */
export class Compactions {
  #expected: readonly Expected[] = [];

  expect(uuid: string): Promise<CompactMetadata | undefined> {
    return new Promise((resolve, reject) => {
      this.#expected = [...this.#expected, { uuid, resolve, reject }];
    });
  }

  /** Whether the message is the result of one of them. */
  receive(message: MessageFrame): boolean {
    const [next] = this.#expected;
    if (next === undefined) return false;
    if (message.type === 'system') note(next, message);
    if (message.type !== 'result' || !isResultOf(next, message)) return false;
    this.#expected = this.#expected.filter((each) => each !== next);
    const problem = next.problem ?? (message.is_error === true ? reasonIn(message) : undefined);
    if (problem === undefined) next.resolve(next.metadata);
    else next.reject(new TenonError('CONTROL_ERROR', `The conversation was not compacted: ${problem}`));
    return true;
  }

  /** Nothing more will come. */
  stop(): void {
    const left = this.#expected;
    this.#expected = [];
    for (const { reject } of left) {
      reject(new TenonError('CLOSED', 'The query ended before the conversation was compacted.'));
    }
  }
}

function note(expected: Expected, message: MessageFrame): void {
  const { subtype, compact_metadata, compact_result, compact_error } = message;
  const metadata = compact_metadata as CompactMetadata | undefined;
  if (subtype === 'compact_boundary' && metadata?.trigger === 'manual') expected.metadata = metadata;
  if (subtype === 'status' && compact_result === 'failed')
    expected.problem = String(compact_error ?? 'it failed');
}

/** By its id; an older CLI does not name the message that a result answers. */
function isResultOf({ uuid, metadata }: Expected, message: MessageFrame): boolean {
  const { user_message_uuids: answered, local_command: command, num_turns: turns } = message;
  if (Array.isArray(answered)) return answered.includes(uuid);
  return command === 'compact' || (command === undefined && turns === 0 && metadata !== undefined);
}

function reasonIn({ errors, result }: MessageFrame): string {
  return String((Array.isArray(errors) ? errors[0] : result) ?? 'it failed');
}
