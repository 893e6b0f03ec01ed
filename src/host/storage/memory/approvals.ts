import { clock } from '../../../protocol/base/clock.js';
import { checkedLimit, checkedName, jsonOf } from '../checked.js';
import type { Approval, ApprovalState, ApprovalStorage } from '../port/approvals.js';
import type { Conversation, Conversations, Question } from './conversations.js';
import { addEntry } from './inbox.js';

export function memoryApprovals(conversations: Conversations): ApprovalStorage {
  const tell = ({ ref: { tenant } }: Conversation): void =>
    conversations.tell({ kind: 'approvals' }, { kind: 'approvals', tenant });
  return {
    ask: async (lease, key, question) => {
      const text = jsonOf('question', question);
      const conversation = conversations.held(lease);
      const known = conversation.questions.get(checkedName('key', key));
      if (known !== undefined) return { id: known.id, ...stateOf(known) };
      const asked: Question = {
        id: clock.uuid(),
        key,
        question: text,
        since: clock.now(),
        state: 'pending',
        answer: undefined,
        settled: undefined,
        conversation,
      };
      conversation.questions.set(key, asked);
      conversations.questions.set(asked.id, asked);
      tell(conversation);
      return { id: asked.id, ...stateOf(asked) };
    },
    answer: async (id, answer, { tenant, wake } = {}) => {
      conversations.checkOpen();
      const text = jsonOf('answer', answer);
      const question = conversations.questions.get(id);
      if (question === undefined || question.state === 'gone') return 'gone';
      const { conversation } = question;
      if (tenant !== undefined && tenant !== conversation.ref.tenant) return 'gone';
      if (question.state === 'answered') return 'already';
      Object.assign(question, { state: 'answered', answer: text, settled: clock.now() });
      const body = JSON.stringify({ approval: id, key: question.key, answer: JSON.parse(text) });
      try {
        await addEntry(
          conversations,
          conversation,
          { kind: 'answer', body, idempotencyKey: undefined },
          { wake },
        );
      } catch (error) {
        Object.assign(question, { state: 'pending', answer: undefined, settled: undefined });
        throw error;
      }
      tell(conversation);
      return 'taken';
    },
    get: async (id) => {
      conversations.checkOpen();
      const question = conversations.questions.get(id);
      return question && { ...approvalOf(question), ...stateOf(question) };
    },
    list: async ({ tenant, session, after, limit } = {}) => {
      conversations.checkOpen();
      const all = [...conversations.questions.values()];
      const start = all.findIndex(({ id }) => id === after) + 1;
      return all
        .slice(start)
        .filter(({ state, conversation: { ref } }) => {
          if (state !== 'pending' || (tenant !== undefined && tenant !== ref.tenant)) return false;
          return session === undefined || session === ref.session;
        })
        .slice(0, checkedLimit(limit))
        .map(approvalOf);
    },
  };
}

function stateOf({ state, answer }: Question): ApprovalState {
  return state === 'answered' ? { state, answer: JSON.parse(answer ?? 'null') } : { state };
}

function approvalOf({ conversation, id, key, question, since }: Question): Approval {
  return { ...conversation.ref, id, key, question: JSON.parse(question), since };
}
