import { ControlFault } from '../protocol/control-channel.js';
import { messageOf } from '../protocol/errors.js';
import type { PermissionMode, PermissionUpdate } from '../protocol/permissions.js';
import type { RuntimeFlags } from './flags.js';
import type { Host } from './host.js';
import type { Lines } from './lines.js';
import { matchesAny } from './permission-rules.js';
import type { RuntimeTool } from './tools/tool-port.js';

export type Decision =
  | { kind: 'allow'; input: Record<string, unknown>; source: string; reasonType?: string }
  | { kind: 'deny'; message: string; interrupt: boolean; wasAsked: boolean };

const MODES: ReadonlySet<unknown> = new Set<PermissionMode>([
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
]);

/** Who may do what: rules first, then the mode, then the host. What nobody allows is denied. */
export class Permissions {
  mode: PermissionMode;
  readonly #flags: RuntimeFlags;
  readonly #host: Host;
  readonly #lines: Lines;
  readonly #allowed: Set<string>;
  readonly #denied: Set<string>;

  constructor(flags: RuntimeFlags, host: Host, lines: Lines) {
    this.#flags = flags;
    this.#host = host;
    this.#lines = lines;
    this.mode = flags.permissionMode;
    this.#allowed = new Set(flags.allowedTools);
    this.#denied = new Set(flags.disallowedTools);
  }

  /** Throws for what is no mode, and for one without any questions when the conversation was not started to have it. */
  setMode(mode: unknown): void {
    if (!MODES.has(mode)) throw new ControlFault('invalid_mode', `Invalid permission mode: ${mode}`);
    const { allowBypass, permissionMode } = this.#flags;
    if (mode === 'bypassPermissions' && !allowBypass && permissionMode !== 'bypassPermissions') {
      throw new ControlFault(
        'bypass_not_launched',
        'Cannot set permission mode to bypassPermissions: the conversation was not started with allowDangerouslySkipPermissions.',
      );
    }
    this.mode = mode as PermissionMode;
  }

  /** A tool that is denied as a whole is not even offered to the model. */
  isRemoved(tool: RuntimeTool): boolean {
    return matchesAny(this.#denied, tool);
  }

  async decide(
    tool: RuntimeTool,
    toolUseId: string,
    input: Record<string, unknown>,
    hook: { allow: boolean; ask: string | undefined },
    signal: AbortSignal,
  ): Promise<Decision> {
    const allow = (source: string, reasonType?: string): Decision => ({
      kind: 'allow',
      input,
      source,
      ...(reasonType === undefined ? {} : { reasonType }),
    });
    if (tool.policy === 'always_deny')
      return this.#refuse(tool, toolUseId, "The server's policy denies this tool.");
    const mustAsk = hook.ask !== undefined || tool.policy === 'always_ask';
    if (!mustAsk) {
      if (tool.needsNoPermission) return allow('config');
      if (hook.allow) return allow('hook');
      if (this.mode === 'bypassPermissions') return allow('config', 'mode');
      if (tool.policy === 'always_allow' || matchesAny(this.#allowed, tool)) return allow('config', 'rule');
    }
    if (this.mode === 'dontAsk') {
      return this.#refuse(
        tool,
        toolUseId,
        `Permission to use ${tool.name} was denied: nobody is asked in "dontAsk" mode.`,
      );
    }
    if (this.#flags.permissionPromptTool !== 'stdio' || this.#flags.permissionPrompts === 'none') {
      return this.#refuse(tool, toolUseId, `Permission to use ${tool.name} has not been granted.`);
    }
    return this.#askHost(tool, toolUseId, input, hook.ask, signal);
  }

  async #askHost(
    tool: RuntimeTool,
    toolUseId: string,
    input: Record<string, unknown>,
    reason: string | undefined,
    signal: AbortSignal,
  ): Promise<Decision> {
    const deny = (message: string, interrupt = false): Decision => ({
      kind: 'deny',
      message,
      interrupt,
      wasAsked: true,
    });
    try {
      const answer = await this.#host.ask(
        'can_use_tool',
        {
          tool_name: tool.name,
          input,
          tool_use_id: toolUseId,
          ...(tool.server === undefined ? {} : { mcp_server: tool.server }),
          ...(tool.title === undefined ? {} : { display_name: tool.title.display_name }),
          permission_suggestions: [
            {
              type: 'addRules',
              rules: [{ toolName: tool.name }],
              behavior: 'allow',
              destination: 'session',
            },
          ],
          ...(reason === undefined ? {} : { decision_reason: reason, decision_reason_type: 'hook' }),
        },
        { signal },
      );
      if (answer?.behavior === 'allow') {
        for (const update of answer.updatedPermissions ?? []) this.#apply(update);
        const isPermanent = (answer.updatedPermissions?.length ?? 0) > 0;
        return {
          kind: 'allow',
          input: answer.updatedInput ?? input,
          source: isPermanent ? 'user_permanent' : 'user_temporary',
        };
      }
      if (answer?.behavior === 'deny') return deny(answer.message, answer.interrupt === true);
      return deny('The host gave no valid permission decision.');
    } catch (error) {
      if (signal.aborted) throw error;
      return deny(`Tool permission request failed: ${messageOf(error)}`);
    }
  }

  #refuse(tool: RuntimeTool, toolUseId: string, message: string): Decision {
    this.#lines.system('permission_denied', { tool_name: tool.name, tool_use_id: toolUseId, message });
    return { kind: 'deny', message, interrupt: false, wasAsked: false };
  }

  #apply(update: PermissionUpdate): void {
    if (update.type === 'setMode') this.setMode(update.mode);
    if (update.type !== 'addRules') return;
    const rules = update.behavior === 'allow' ? this.#allowed : this.#denied;
    for (const { toolName } of update.rules) rules.add(toolName);
  }
}
