import type { InboxEntry, InboxKind, Receipt } from '../port/inbox.js';
import { numberIn, type Row, textIn } from './sql.js';

export function receiptOf(row: Row | undefined): Receipt {
  return { id: textIn(row, 'id') ?? '', number: numberIn(row, 'number'), event: numberIn(row, 'event') };
}

export function messageIn(row: Row): { kind: InboxKind; body: string } {
  return { kind: textIn(row, 'kind') as InboxKind, body: textIn(row, 'body') ?? 'null' };
}

export function entryOf(row: Row): InboxEntry {
  const { kind, body } = messageIn(row);
  const { id, number } = receiptOf(row);
  return { id, number, at: numberIn(row, 'at'), kind, body: JSON.parse(body) };
}
