// What messages have in common.

import type { UUID } from 'node:crypto';

export type Envelope = { uuid: UUID; session_id: string };

export type Message<Type extends string, Fields> = { type: Type } & Envelope & Fields;

export type SystemMessage<Subtype extends string, Fields> = Message<'system', { subtype: Subtype } & Fields>;
