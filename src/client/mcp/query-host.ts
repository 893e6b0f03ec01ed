import type { McpHost, RunningCall } from '../../mcp/in-process/agent-connection.js';
import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import type { JsonRpcNotification, JsonRpcRequest } from '../../mcp/types.js';
import { warningsTo } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { ElicitationRequest } from '../../protocol/wire/host-callbacks.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Debug } from '../query/observers.js';

type Questions = Pick<Options, 'onElicitation' | 'onSampling' | 'stderr'>;

/**
 * A query as its in-process servers see it. Notifications go to the agent. Requests do not: no version of
 * the CLI serves them for in-process servers, and old versions never answer, so they are served or refused
 * here.
 */
export class QueryHost implements McpHost {
  readonly #serverName: string;
  readonly #agent: Pick<Conversation, 'sessionId' | 'control' | 'toolProgress'>;
  readonly #questions: Questions;
  readonly #debug: Debug;

  constructor(
    serverName: string,
    agent: Pick<Conversation, 'sessionId' | 'control' | 'toolProgress'>,
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

  warn(message: string): void {
    warningsTo(this.#questions, 'TENON_TOOL_NAMES')(message);
  }

  /** The CLI keeps the reports of in-process tools to itself. */
  progressed({ tool, toolUseId, startedAt }: RunningCall, report: Record<string, unknown>): void {
    if (toolUseId !== undefined) {
      this.#agent.toolProgress({
        toolUseId,
        toolName: mcpToolName(this.#serverName, tool),
        startedAt,
        report,
      });
    }
  }

  notify(message: JsonRpcNotification): void {
    const fields = { server_name: this.#serverName, message };
    this.#agent
      .control('mcp_message', fields, { background: true })
      .catch((error) => this.debug(`${message.method} was not delivered: ${messageOf(error)}`));
  }

  async serve(
    { id, method, params = {} }: JsonRpcRequest,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { onElicitation, onSampling } = this.#questions;
    const serverName = this.#serverName;
    const context = { signal, requestId: String(id) };
    if (method === 'ping') return {};
    if (method === 'elicitation/create' && onElicitation != null) {
      const request = params as Partial<ElicitationRequest>;
      const message = typeof request.message === 'string' ? request.message : '';
      const question = { ...request, serverName, message };
      return (await onElicitation(question, context)) ?? { action: 'decline' };
    }
    if (method === 'sampling/createMessage' && onSampling != null) {
      return onSampling({ serverName, params }, context);
    }
    throw new JsonRpcFault(METHOD_NOT_FOUND, `Method not found: ${method}${REMEDIES[method] ?? ''}`);
  }
}

const REMEDIES: Record<string, string> = {
  'elicitation/create': '. Nobody can be asked: the query has no `onElicitation`.',
  'sampling/createMessage': '. No model can be asked: the query has no `onSampling`.',
};
