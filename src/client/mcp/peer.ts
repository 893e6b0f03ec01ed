import { messageOf } from '../../protocol/errors.js';
import type { ElicitationRequest } from '../../protocol/host-callbacks.js';
import type { JsonRpcRequest, JsonRpcResponse } from '../../protocol/mcp.js';
import type { Conversation } from '../conversation.js';
import type { Debug } from '../debug.js';
import type { Options } from '../options.js';
import type { McpPeer } from './server-connection.js';

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/**
 * What an in-process server finds at the other end. Notifications go to the agent. Requests do not: no version of
 * the CLI serves them for in-process servers, and old ones never answer, so they are served or refused here.
 */
export function peerOf(
  serverName: string,
  conversation: Conversation,
  { onElicitation, onSampling }: Pick<Options, 'onElicitation' | 'onSampling'>,
  debug: Debug,
): McpPeer {
  return {
    get sessionId() {
      return conversation.sessionId;
    },
    capabilities: {
      ...(onElicitation == null ? {} : { elicitation: { form: {}, url: {} } }),
      ...(onSampling == null ? {} : { sampling: {} }),
    },
    debug: (message) => debug('mcp', message),
    notify: (message) => {
      conversation
        .control('mcp_message', { server_name: serverName, message }, { background: true })
        .catch((error) => debug('mcp', `${message.method} was not delivered: ${messageOf(error)}`));
    },
    serve: async (request, signal) => {
      try {
        return { jsonrpc: '2.0', id: request.id, result: await answer(request, signal) };
      } catch (error) {
        return failure(
          request,
          error instanceof Unserved ? METHOD_NOT_FOUND : INTERNAL_ERROR,
          messageOf(error),
        );
      }
    },
  };

  async function answer(request: JsonRpcRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const context = { signal, requestId: String(request.id) };
    if (request.method === 'ping') return {};
    if (request.method === 'elicitation/create' && onElicitation != null) {
      const params = (request.params ?? {}) as Partial<ElicitationRequest>;
      const question = { ...params, serverName, message: String(params.message ?? '') };
      return (await onElicitation(question, context)) ?? { action: 'decline' };
    }
    if (request.method === 'sampling/createMessage' && onSampling != null) {
      return onSampling({ serverName, params: request.params ?? {} }, context);
    }
    throw new Unserved(`Method not found: ${request.method}${REMEDIES[request.method] ?? ''}`);
  }
}

const REMEDIES: Record<string, string> = {
  'elicitation/create': '. Nobody can be asked: the query has no `onElicitation`.',
  'sampling/createMessage': '. No model can be asked: the query has no `onSampling`.',
};

class Unserved extends Error {}

function failure(request: JsonRpcRequest, code: number, message: string): JsonRpcResponse {
  return { jsonrpc: '2.0', id: request.id, error: { code, message } };
}
