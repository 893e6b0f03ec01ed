import type { McpReadyOptions } from '../../mcp/status.js';
import type { McpServerConfig } from '../../mcp/types.js';
import type { SdkPluginConfig } from '../../options/options.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import { type Recorded, TAPE_OF } from '../../protocol/transport/run-events.js';
import type {
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
} from '../../protocol/wire/control-requests.js';
import type { SDKMessage, SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { Conversation } from '../conversation/conversation.js';
import type { McpControls } from '../mcp/mcp-controls.js';
import type { Query } from './query-type.js';

type Initialized = HostRequestPayload<'initialize'>;

/** The `Query` that users hold: a thin facade of the conversation, one method per control request. */
export class QueryHandle implements Query, Recorded {
  readonly #conversation: Conversation;
  readonly #mcp: McpControls;
  readonly #tape: (() => Promise<string | undefined>) | undefined;
  #initialized: Promise<Initialized>;

  constructor(
    conversation: Conversation,
    initialized: Promise<Initialized>,
    mcp: McpControls,
    tape?: () => Promise<string | undefined>,
  ) {
    this.#tape = tape;
    this.#conversation = conversation;
    this.#initialized = initialized;
    this.#mcp = mcp;
  }

  // Reading

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#conversation.next();
  }

  async return(): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async [TAPE_OF](): Promise<string | undefined> {
    return this.#tape?.();
  }

  // Lifecycle

  get pid() {
    return this.#conversation.pid;
  }

  get exited() {
    return this.#conversation.exited;
  }

  get done() {
    return this.#conversation.done;
  }

  close(): Promise<void> {
    return this.#conversation.close();
  }

  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#conversation.writeStream(stream);
  }

  // Control

  controlRequest<Subtype extends HostSubtype>(
    subtype: Subtype,
    fields: HostRequestFields<Subtype>,
  ): Promise<HostRequestPayload<Subtype>> {
    return this.#conversation.control(subtype, fields);
  }

  interrupt() {
    return this.controlRequest('interrupt', {});
  }

  async setPermissionMode(mode: PermissionMode) {
    await this.controlRequest('set_permission_mode', { mode });
  }

  async setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null) {
    return (await this.controlRequest('set_mcp_permission_mode_override', { serverName, mode })) ?? {};
  }

  async setModel(model?: string) {
    await this.controlRequest('set_model', { model });
  }

  async setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ) {
    await this.controlRequest('set_max_thinking_tokens', {
      max_thinking_tokens: maxThinkingTokens,
      thinking_display: thinkingDisplay,
    });
  }

  async applyFlagSettings(settings: object) {
    await this.controlRequest('apply_flag_settings', { settings: settings as Record<string, unknown> });
  }

  async updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>) {
    await this.controlRequest('update_settings', { source, settings });
  }

  initializationResult() {
    return this.#initialized;
  }

  reinitialize() {
    this.#initialized = this.#conversation.initialize(this.#mcp.announcement());
    return this.#initialized;
  }

  // Fields that older CLIs do not have are empty, not missing.

  async supportedCommands() {
    return (await this.#initialized)?.commands ?? [];
  }

  async supportedModels() {
    return (await this.#initialized)?.models ?? [];
  }

  async supportedAgents() {
    return (await this.#initialized)?.agents ?? [];
  }

  async accountInfo() {
    return (await this.#initialized)?.account ?? {};
  }

  // MCP

  mcpServerStatus() {
    return this.#mcp.status();
  }

  mcpReady(options: McpReadyOptions = {}) {
    return this.#mcp.ready(options);
  }

  mcpStatusChanges() {
    return this.#mcp.monitor.changes();
  }

  reconnectMcpServer(serverName: string) {
    return this.#mcp.reconnect(serverName);
  }

  toggleMcpServer(serverName: string, enabled: boolean) {
    return this.#mcp.toggle(serverName, enabled);
  }

  setMcpServers(servers: Record<string, McpServerConfig>) {
    return this.#mcp.set(servers);
  }

  async listMcpResources(serverName?: string) {
    return (await this.#mcp.content()).listResources(serverName);
  }

  async readMcpResource(serverName: string, uri: string) {
    return (await this.#mcp.content()).readResource(serverName, uri);
  }

  async listMcpPrompts(serverName?: string) {
    return (await this.#mcp.content()).listPrompts(serverName);
  }

  async getMcpPrompt(serverName: string, name: string, args?: Record<string, string>) {
    return (await this.#mcp.content()).getPrompt(serverName, name, args);
  }

  // Inspecting and changing

  compact(instructions = '') {
    return this.#conversation.compact(instructions);
  }

  getContextUsage(options: { detail?: 'summary' | 'full' } = {}) {
    return this.controlRequest('get_context_usage', { detail: options.detail });
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options: { skipBehaviors?: boolean } = {}) {
    return this.controlRequest('get_usage', { skip_behaviors: options.skipBehaviors });
  }

  async readFile(path: string, options: { maxBytes?: number; encoding?: 'utf-8' | 'base64' } = {}) {
    const { maxBytes: max_bytes, encoding } = options;
    try {
      return (await this.controlRequest('read_file', { path, max_bytes, encoding })) ?? null;
    } catch {
      // This method's contract: null for whatever cannot be read, for any reason.
      return null;
    }
  }

  rewindFiles(userMessageId: string, options: { dryRun?: boolean } = {}) {
    return this.controlRequest('rewind_files', { user_message_id: userMessageId, dry_run: options.dryRun });
  }

  async seedReadState(path: string, mtime: number) {
    await this.controlRequest('seed_read_state', { path, mtime });
  }

  reloadPlugins(
    options: { holdOnCacheImpact?: boolean; addPlugins?: SdkPluginConfig[]; refuseIfBusy?: boolean } = {},
  ) {
    return this.controlRequest('reload_plugins', {
      hold_on_cache_impact: options.holdOnCacheImpact,
      add_plugins: options.addPlugins,
      refuse_if_busy: options.refuseIfBusy,
    });
  }

  reloadSkills() {
    return this.controlRequest('reload_skills', {});
  }

  reloadOutputStyles() {
    return this.controlRequest('reload_output_styles', {});
  }

  async stopTask(taskId: string) {
    await this.controlRequest('stop_task', { task_id: taskId });
  }

  async backgroundTasks(toolUseId?: string) {
    const payload = await this.controlRequest('background_tasks', { tool_use_id: toolUseId });
    return payload?.backgrounded !== false;
  }
}
