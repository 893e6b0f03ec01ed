import { type InboundRequest, unsupportedRequest } from '../../protocol/control-channel.js';
import type { AgentSubtype, InitializeRequest } from '../../protocol/control-requests.js';
import type { JsonRpcMessage } from '../../protocol/mcp.js';
import type { Debug } from '../debug.js';
import type { InProcessServers } from '../mcp/in-process-servers.js';
import type { Options } from '../options.js';
import { Hooks } from './hooks.js';
import { answerPermission } from './permissions.js';
import { answerDialog, answerElicitation } from './questions.js';

/** One handler per subtype that an agent may send. */
const HANDLERS: Record<AgentSubtype, (side: HostSide, request: InboundRequest) => unknown> = {
  can_use_tool: ({ options, debug }, request) => answerPermission(options.canUseTool, request, debug),
  hook_callback: ({ hooks }, request) => hooks.call(request),
  mcp_message: ({ servers }, { fields, cancellation }) =>
    servers.receive(String(fields.server_name), fields.message as JsonRpcMessage, cancellation),
  elicitation: ({ options }, request) => answerElicitation(options.onElicitation, request),
  request_user_dialog: ({ options }, request) => answerDialog(options.onUserDialog, request),
};

interface HostSide {
  readonly options: Options;
  readonly servers: InProcessServers;
  readonly hooks: Hooks;
  readonly debug: Debug;
}

/** Everything on this side that the agent may call. */
export class Callbacks implements HostSide {
  readonly options: Options;
  readonly servers: InProcessServers;
  readonly hooks: Hooks;
  readonly debug: Debug;

  constructor(options: Options, servers: InProcessServers, debug: Debug) {
    this.options = options;
    this.servers = servers;
    this.hooks = new Hooks(options.hooks ?? {});
    this.debug = debug;
  }

  /** True while the agent may need an answer; servers can be added later. */
  get any(): boolean {
    const { canUseTool, onElicitation, onUserDialog } = this.options;
    return (
      !this.servers.isEmpty || !this.hooks.isEmpty || Boolean(canUseTool || onElicitation || onUserDialog)
    );
  }

  announcement(): InitializeRequest {
    return { ...this.servers.announcement(), ...this.hooks.announcement() };
  }

  serve(request: InboundRequest): unknown {
    if (!Object.hasOwn(HANDLERS, request.subtype)) throw unsupportedRequest(request.subtype);
    return HANDLERS[request.subtype as AgentSubtype](this, request);
  }
}
