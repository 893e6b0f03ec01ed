// What messages have in common.

import type { Uuid as UUID } from '../../base/clock.js';

export type Envelope = { uuid: UUID; session_id: string };

export type Message<Type extends string, Fields> = { type: Type } & Envelope & Fields;

export type SystemMessage<Subtype extends string, Fields> = Message<'system', { subtype: Subtype } & Fields>;
