// Input to the model: from the caller, from the agent itself, and from tools.

import type { Uuid as UUID } from '../../base/clock.js';
import type { ApiMessageParam } from '../content-of-peer.js';

export type SDKMessageOrigin =
  | { kind: 'human' }
  | { kind: 'channel'; server: string }
  | {
      kind: 'peer';
      from: string;
      fromMode?: 'bypass' | 'prompting';
      name?: string;
      fromSession?: string;
      senderTaskId?: string;
      body?: string;
      verifiedPeerPid?: number;
    }
  | {
      kind: 'task-notification';
      subkind?: 'scheduled-trigger' | 'peer-send-message' | 'projects-relay' | 'session-inbox';
      fireReason?: string;
      runId?: string;
    }
  | { kind: 'coordinator' }
  | { kind: 'unclassified' }
  | { kind: 'observer'; from: string; senderTaskId: string }
  | { kind: 'auto-continuation' }
  | { kind: 'observer-activity' };

type UserFields = {
  type: 'user';
  message: ApiMessageParam;
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  tool_use_result?: unknown;
  priority?: 'now' | 'next' | 'later';
  origin?: SDKMessageOrigin;
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
};

/**
 * Both an input to `query` and a message it delivers; `uuid` and `session_id` may be absent in the former.
 */
export type SDKUserMessage = UserFields & {
  uuid?: UUID;
  session_id?: string;
  pasted_content?: ApiMessageParam['content'][];
  inline_pastes?: string[];
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};

export type SDKUserMessageReplay = UserFields & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
  file_attachments?: unknown[];
};
