import type { JsonRpcMessage } from '../../mcp/types.js';
import { warningsTo } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { type InboundRequest, unsupportedRequest } from '../../protocol/channel/control-channel.js';
import { type AgentRequestHandlers, recordField, textField } from '../../protocol/channel/received-fields.js';
import type { AgentSubtype, InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { InProcessServers } from '../mcp/in-process-servers.js';
import type { Debug } from '../query/observers.js';
import { Hooks } from './hooks.js';
import { answerPermission } from './permissions.js';
import { answerDialog, answerElicitation } from './questions.js';

const HANDLERS: AgentRequestHandlers<[side: HostSide, request: InboundRequest]> = {
  can_use_tool: (fields, { options, debug }, request) =>
    answerPermission(options.canUseTool, fields, request, {
      debug,
      warn: warningsTo(options, 'TENON_PERMISSION'),
    }),
  hook_callback: (fields, { hooks }, { signal }) => hooks.call(fields, signal),
  mcp_message: (fields, { servers }, { cancellation }) =>
    servers.receive(
      textField(fields, 'server_name'),
      recordField(fields, 'message') as JsonRpcMessage,
      cancellation,
    ),
  elicitation: (fields, { options }, request) => answerElicitation(options.onElicitation, fields, request),
  request_user_dialog: (fields, { options }, request) => answerDialog(options.onUserDialog, fields, request),
};

interface HostSide {
  readonly options: Options;
  readonly servers: InProcessServers;
  readonly hooks: Hooks;
  readonly debug: Debug;
}

/** Everything in the host that the agent may call. */
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

  /** Whether the agent may need an answer; servers can be added later. */
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
    const { subtype } = request;
    if (!isServed(subtype)) throw unsupportedRequest(subtype);
    return HANDLERS[subtype](request.fields, this, request);
  }
}

function isServed(subtype: string): subtype is AgentSubtype {
  return Object.hasOwn(HANDLERS, subtype);
}
