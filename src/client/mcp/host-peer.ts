import { messageOf } from '../../protocol/errors.js';
import type { ElicitationRequest } from '../../protocol/host-callbacks.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../protocol/mcp.js';
import type { Conversation } from '../conversation.js';
import type { Debug } from '../debug.js';
import type { Options } from '../options.js';
import { failure, INTERNAL_ERROR, type McpPeer } from './server-connection.js';

const METHOD_NOT_FOUND = -32601;

type Questions = Pick<Options, 'onElicitation' | 'onSampling'>;

/**
 * What an in-process server finds at the other end. Notifications go to the agent. Requests do not: no version of
 * the CLI serves them for in-process servers, and old ones never answer, so they are served or refused here.
 */
export class HostPeer implements McpPeer {
  readonly #serverName: string;
  readonly #agent: Pick<Conversation, 'sessionId' | 'control'>;
  readonly #questions: Questions;
  readonly #debug: Debug;

  constructor(
    serverName: string,
    agent: Pick<Conversation, 'sessionId' | 'control'>,
    questions: Questions,
    debug: Debug,
  ) {
    this.#serverName = serverName;
    this.#agent = agent;
    this.#questions = questions;
    this.#debug = debug;
  }

  get sessionId(): string | undefined {
    return this.#agent.sessionId;
  }

  get capabilities(): Record<string, unknown> {
    const { onElicitation, onSampling } = this.#questions;
    return {
      ...(onElicitation == null ? {} : { elicitation: { form: {}, url: {} } }),
      ...(onSampling == null ? {} : { sampling: {} }),
    };
  }

  debug(message: string): void {
    this.#debug('mcp', message);
  }

  notify(message: JsonRpcNotification): void {
    const fields = { server_name: this.#serverName, message };
    this.#agent
      .control('mcp_message', fields, { background: true })
      .catch((error) => this.debug(`${message.method} was not delivered: ${messageOf(error)}`));
  }

  async serve(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse> {
    try {
      return { jsonrpc: '2.0', id: request.id, result: await this.#answer(request, signal) };
    } catch (error) {
      const code = error instanceof Unserved ? METHOD_NOT_FOUND : INTERNAL_ERROR;
      return failure(request, code, messageOf(error));
    }
  }

  async #answer({ id, method, params = {} }: JsonRpcRequest, signal: AbortSignal) {
    const { onElicitation, onSampling } = this.#questions;
    const serverName = this.#serverName;
    const context = { signal, requestId: String(id) };
    if (method === 'ping') return {};
    if (method === 'elicitation/create' && onElicitation != null) {
      const given = params as Partial<ElicitationRequest>;
      const question = { ...given, serverName, message: String(given.message ?? '') };
      return (await onElicitation(question, context)) ?? { action: 'decline' };
    }
    if (method === 'sampling/createMessage' && onSampling != null) {
      return onSampling({ serverName, params }, context);
    }
    throw new Unserved(`Method not found: ${method}${REMEDIES[method] ?? ''}`);
  }
}

const REMEDIES: Record<string, string> = {
  'elicitation/create': '. Nobody can be asked: the query has no `onElicitation`.',
  'sampling/createMessage': '. No model can be asked: the query has no `onSampling`.',
};

class Unserved extends Error {}
