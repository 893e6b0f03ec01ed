// @ts-check
/** LangGraph with its PostgreSQL checkpointer: the same turn, a thread for each conversation. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import pg from 'pg';
import { z } from 'zod';

const INPUT = { n: 1, text: 'x'.repeat(100) };

/**
 * @param {string} connectionString
 * @returns {Promise<import('../measure/host/together.mjs').Subject>}
 */
export async function langgraph(connectionString) {
  const pool = new pg.Pool({ connectionString });
  const checkpointer = new PostgresSaver(pool);
  await checkpointer.setup();
  let [calls, answers] = [0, 0];
  const echo = tool(
    async (/** @type {typeof INPUT} */ { n, text }) => {
      calls += 1;
      return `${n}:${text}`;
    },
    { name: 'echo', description: 'Repeats', schema: z.object({ n: z.number(), text: z.string() }) },
  );
  /** @param {typeof MessagesAnnotation.State} state */
  const model = async ({ messages }) => {
    answers += 1;
    const isAsked = messages.at(-1)?.getType() === 'human';
    const call = { id: `call_${answers}`, name: 'echo', args: INPUT };
    return {
      messages: [isAsked ? new AIMessage({ content: '', tool_calls: [call] }) : new AIMessage('done')],
    };
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', model)
    .addNode('tools', new ToolNode([echo]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile({ checkpointer });
  return {
    turn: async (conversation) => {
      const configurable = { thread_id: `user-${conversation}` };
      const { messages } = await graph.invoke({ messages: [new HumanMessage('hi')] }, { configurable });
      if (messages.at(-1)?.content !== 'done') throw new Error('The turn has failed.');
    },
    calls: () => calls,
    close: () => pool.end(),
  };
}
