/**
 * What both agents can show: takes out of an outcome what only Claude Code has, or what only one of the two can know,
 * so that Tenon's runtime can be held against it.
 */
import type { Comparable } from './normalise.js';
import type { Json, JsonObject } from './scenario.js';

/** Claude Code's own tools, commands, models, accounting and measurements; by field, wherever in a message it stands. */
const FIELDS_OF_CLAUDE_CODE: ReadonlySet<string> = new Set([
  // system/init
  'additional_directories',
  'messaging_socket_path',
  'original_cwd',
  'per_turn_effort_active',
  'ultrathink_available',
  'ultrathink_typed_raises',
  'view_mode',
  'agents',
  'analytics_disabled',
  'apiKeySource',
  'capabilities',
  'claude_code_version',
  'fast_mode_disabled_reason',
  'fast_mode_state',
  'memory_paths',
  'plugins',
  'product_feedback_disabled',
  'terminal_slash_commands',
  // assistant and stream_event
  'container',
  'diagnostics',
  'local_command_outcome',
  'local_command_run',
  'local_command_source',
  'request_id',
  'stop_details',
  'thinking_display',
  'thinking_duration_ms',
  // result
  'first_content_frame_ms',
  'first_request_cache_read_input_tokens',
  'first_request_input_tokens',
  'model_usage_since_last_result',
  'request_sent_wall_ms',
  'safety_stops',
  'subagent_stats',
  'time_to_request_ms',
  'ttft_ms',
  'ttft_stream_ms',
  // status
  'compact_output_chars',
  // what a command has changed, for a view that only Claude Code has
  'bashEditDiff',
  // usage
  'cacheCreationEphemeral1hInputTokens',
  'cacheCreationEphemeral5mInputTokens',
  'canonicalModel',
  'fallback_credit',
  'inference_geo',
  'iterations',
  'output_tokens_details',
  'provider',
  'speed',
  'thinkingTokens',
  // results of subagents
  'canContinueAgent',
  'harnessNoteCount',
  'harnessSectionHash',
  'harnessTailCount',
  // input of hooks
  'effort',
]);

/** Lines about things that the runtime has not. */
const LINES_OF_CLAUDE_CODE: ReadonlySet<string> = new Set([
  'system notification',
  'system session_title_changed',
  'system thinking_tokens',
]);

/** What a command of the terminal, such as `/model`, leaves behind. */
const COMMAND = /^<(local-command-\w+|command-name)>/;

/** Everything that is compared between the agents. What the client writes is compared between the clients. */
export type CommonGround = Pick<Comparable, 'messages' | 'error' | 'model' | 'driven' | 'calls' | 'exit'>;

export function commonGround({ messages, error, model, driven, calls, exit }: Comparable): CommonGround {
  return {
    messages: messages
      .filter((message) => !isOfClaudeCode(message))
      .map((message) => common(message) as JsonObject),
    error,
    model: model.map(request),
    driven,
    calls: calls.map((call) => common(call) as JsonObject),
    exit,
  };
}

/** A line about something that the runtime has not, or that tells of a command of the terminal. */
function isOfClaudeCode({ type, subtype, message }: JsonObject): boolean {
  const content = (message as JsonObject | undefined)?.content;
  return (
    LINES_OF_CLAUDE_CODE.has(`${type} ${subtype}`) || (typeof content === 'string' && COMMAND.test(content))
  );
}

function common(value: Json): Json {
  if (Array.isArray(value)) return value.map(common);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !FIELDS_OF_CLAUDE_CODE.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, listed(name, inner)]));
}

/** The order of servers is that in which they have connected. */
function listed(name: string, value: Json): Json {
  if (name === 'tools') return offered(value);
  if (name === 'skills' || name === 'slash_commands') return custom(value);
  if (name !== 'mcp_servers' || !Array.isArray(value)) return common(value);
  return value.toSorted((left, right) => nameOf(left).localeCompare(nameOf(right), 'en')).map(common);
}

/** Skills and commands that Claude Code brings itself. */
const COMMANDS_OF_CLAUDE_CODE: ReadonlySet<string> = new Set(
  `agents auto-mode-setup autocompact batch claude-api code-review color config context dataviz debug deep-research
  doctor effort fast fewer-permission-prompts focus goal heapdump init insights list-agents loop mcp model output-style
  plugin-authoring recap reload-plugins reload-skills __remote-workflow rename run run-skill-generator security-review
  simplify team-onboarding update-config usage verify workflow-authoring workflow-launch-exec`.split(/\s+/),
);

/** What is the user's, the project's or the runtime's. */
function custom(names: Json): Json {
  if (!Array.isArray(names)) return names;
  return names.filter((name) => !COMMANDS_OF_CLAUDE_CODE.has(String(name)));
}

/** Tools of servers, and the one for structured output: the others are the agents' own. */
function offered(tools: Json): Json {
  if (!Array.isArray(tools)) return tools;
  return tools.filter((tool) => /^(mcp__|StructuredOutput$)/.test(nameOf(tool))).map(common);
}

function nameOf(tool: Json): string {
  return typeof tool === 'string' ? tool : String((tool as JsonObject | null)?.name ?? '');
}

/** What the model is told that is not the agent's own prompt: the conversation, and the tools. */
function request({ model = null, messages, tools }: JsonObject): JsonObject {
  const listed = (offered(tools ?? []) as JsonObject[]).filter(({ defer_loading }) => defer_loading !== true);
  return {
    model,
    messages: merged((messages ?? []) as JsonObject[]),
    tools: Object.fromEntries(
      listed.map(({ name = '', description = '', input_schema = {} }) => [
        name,
        { description, input_schema },
      ]),
    ),
  };
}

/** Messages of one role that follow each other are one for the model, in which results come first. */
function merged(messages: readonly JsonObject[]): JsonObject[] {
  const result: { role: string; content: JsonObject[] }[] = [];
  for (const { role, content } of messages) {
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content as JsonObject[]);
    const kept = blocks.flatMap((block) => said(block, role === 'system'));
    if (kept.length === 0) continue;
    const speaker = role === 'assistant' ? 'assistant' : 'user';
    const last = result.at(-1);
    if (last?.role === speaker) last.content.push(...kept);
    else result.push({ role: speaker, content: kept });
  }
  const isResult = ({ type }: JsonObject): number => (type === 'tool_result' ? 0 : 1);
  return result.map(({ role, content }) => ({
    role,
    content: content.toSorted((left, right) => isResult(left) - isResult(right)),
  }));
}

/** In these words an agent hands on what a hook adds, and what the user says while a tool runs. */
const HANDED_ON =
  /^(?:\w+(?::\S+)? hook additional context: |The user sent a new message while you were working:\n)(.*?)(?:\n\nThis is how |\n\n# Environment\n|$)/s;

/** What the model hears of a task that has ended; the summary is in the agent's own words. */
const NOTICE = /<task-notification>.*<\/task-notification>/s;
const SUMMARY = /\n<summary>.*<\/summary>/s;

/** Reminders and descriptions of the machine are Claude Code's own. */
function said(block: JsonObject, isSystem: boolean): JsonObject[] {
  if (typeof block.text !== 'string') return [block];
  const [, handedOn] = HANDED_ON.exec(block.text) ?? [];
  if (handedOn !== undefined) return [{ type: 'text', text: handedOn }];
  const [notice] = NOTICE.exec(block.text) ?? [];
  if (notice !== undefined) return [{ type: 'text', text: notice.replace(SUMMARY, '') }];
  if (isSystem) return [];
  return /^<system-reminder>/.test(block.text) || COMMAND.test(block.text)
    ? []
    : [{ ...block, text: block.text.trimEnd() }];
}
