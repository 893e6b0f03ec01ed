import type { SDKCompactBoundaryMessage } from '../../protocol/wire/messages/index.js';

/** As in the line that the host reads. */
export type CompactMetadata = SDKCompactBoundaryMessage['compact_metadata'];

/** Where a conversation begins anew. */
export interface Boundary {
  uuid: string;
  /** The id of the message with the summary. */
  summary: string;
  /** The last entry before it. */
  parent: string | undefined;
  /** What is kept from before, word for word. */
  preserved: Pick<CompactMetadata, 'preserved_segment' | 'preserved_messages'>;
}

/** What the boundary says of the messages that are kept; empty if none is. */
export function preserved(anchor: string, uuids: readonly string[]): Boundary['preserved'] {
  const [head] = uuids;
  const tail = uuids.at(-1);
  if (head === undefined || tail === undefined) return {};
  return {
    preserved_segment: { head_uuid: head, anchor_uuid: anchor, tail_uuid: tail },
    preserved_messages: { anchor_uuid: anchor, uuids: [...uuids], all_uuids: [...uuids] },
  } as Boundary['preserved'];
}
