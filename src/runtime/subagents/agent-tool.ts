import { matchesWildcard } from '../../protocol/permissions/permission-rules.js';
import { checkedInput, type InputSchema } from '../../workspace/tools/checked-input.js';
import type { RuntimeTool, ToolCall } from '../tools/tool-port.js';
import { GENERAL_PURPOSE } from './default-agents.js';
import type { KnownAgent } from './known-agent.js';
import type { Caller, Subagents } from './subagents.js';

/** The short names of models that a call may give. */
const MODELS = ['sonnet', 'opus', 'haiku', 'fable'];

/** The input of a call, checked. */
export interface AgentCallInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly run_in_background?: boolean;
}

export interface SubagentCall {
  readonly agents: Subagents;
  readonly agent: KnownAgent;
  readonly caller: Caller;
  readonly input: AgentCallInput;
  readonly call: ToolCall;
}

/** The tool by which an agent hands a task to another one. Its callers differ, so each has its own. */
export function agentTool(agents: Subagents, caller: Caller): RuntimeTool {
  const schema = schemaFor(MODELS.filter((name) => agents.knowsModel(name)));
  return {
    name: 'Agent',
    aliases: ['Task'],
    get description() {
      return describe(agents.offered(caller));
    },
    inputSchema: schema,
    isReadOnly: true,
    needsNoPermission: true,
    prepare: async (input) => {
      checkedInput('Agent', schema, input);
      return {};
    },
    run: async (call) => {
      const input = checkedInput('Agent', schema, call.input) as unknown as AgentCallInput;
      const agent = agents.called(input.subagent_type ?? GENERAL_PURPOSE, caller);
      const { runSubagent } = await import('./run-subagent.js');
      return runSubagent({ agents, agent, caller, input, call });
    },
  };
}

function describe(offered: readonly KnownAgent[]): string {
  const list = offered.map(({ name, description }) => `- ${name}: ${description}`);
  return [
    'Hands a task to another agent, which works on it by itself, with its own tools and without what was said here: ' +
      'the prompt must say all that it needs. Its last message is the result. Several calls in one answer run at the ' +
      'same time. It works in the background, and you are told when it ends, unless `run_in_background` is false: give ' +
      'that if you need the result for the next step.',
    `The agents (subagent_type):\n${list.join('\n')}`,
  ].join('\n\n');
}

function schemaFor(models: readonly string[]): InputSchema {
  return {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'The task in three to five words.' },
      prompt: { type: 'string', description: 'The task, with everything that the agent must know.' },
      subagent_type: { type: 'string', description: `Which agent. Default: ${GENERAL_PURPOSE}.` },
      ...(models.length === 0
        ? {}
        : { model: { type: 'string', enum: models, description: 'Another model than the agent has.' } }),
      effort: {
        type: 'string',
        enum: ['low', 'medium', 'high', 'xhigh', 'max'],
        description: 'How hard it thinks. Leave it out unless the user asks for it.',
      },
      run_in_background: {
        type: 'boolean',
        description: 'false: wait for the result. Default: true.',
      },
    },
    required: ['description', 'prompt'],
    additionalProperties: false,
  };
}

/** Whether `Agent(specifier)` means this agent. */
export function meansAgent(specifier: string, name: string): boolean {
  return specifier.split(',').some((part) => matchesWildcard(part.trim(), name));
}
