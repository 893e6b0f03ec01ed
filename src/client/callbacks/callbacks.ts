import { type InboundRequest, unsupportedRequest } from '../../protocol/control-channel.js';
import type { AgentSubtype, InitializeRequest } from '../../protocol/control-requests.js';
import type { JsonRpcMessage } from '../../protocol/mcp.js';
import type { Debug } from '../debug.js';
import type { InProcessServers } from '../mcp/in-process-servers.js';
import type { Options } from '../options.js';
import { Hooks } from './hooks.js';
import { answerPermission } from './permissions.js';
import { answerDialog, answerElicitation } from './questions.js';

/** Everything on this side that the agent may call: one handler per subtype that an agent may send. */
export class Callbacks {
  readonly #options: Options;
  readonly #servers: InProcessServers;
  readonly #hooks: Hooks;
  readonly #handlers: Record<AgentSubtype, (request: InboundRequest) => unknown>;

  constructor(options: Options, servers: InProcessServers, debug: Debug) {
    const hooks = new Hooks(options.hooks ?? {});
    this.#options = options;
    this.#servers = servers;
    this.#hooks = hooks;
    this.#handlers = {
      can_use_tool: (request) => answerPermission(options.canUseTool, request, debug),
      hook_callback: (request) => hooks.call(request),
      mcp_message: ({ fields, cancellation }) =>
        servers.receive(String(fields.server_name), fields.message as JsonRpcMessage, cancellation),
      elicitation: (request) => answerElicitation(options.onElicitation, request),
      request_user_dialog: (request) => answerDialog(options.onUserDialog, request),
    };
  }

  /** True while the agent may need an answer; servers can be added later. */
  get any(): boolean {
    const { canUseTool, onElicitation, onUserDialog } = this.#options;
    return (
      this.#servers.names.length > 0 ||
      !this.#hooks.isEmpty ||
      Boolean(canUseTool || onElicitation || onUserDialog)
    );
  }

  announcement(): InitializeRequest {
    return { ...this.#servers.announcement(), ...this.#hooks.announcement() };
  }

  serve(request: InboundRequest): unknown {
    if (!Object.hasOwn(this.#handlers, request.subtype)) throw unsupportedRequest(request.subtype);
    return this.#handlers[request.subtype as AgentSubtype](request);
  }
}
