/** All scenarios of the matrix, class by class. */
import { agentDefinitions } from './scenarios/agent-definitions.js';
import { apiErrors } from './scenarios/api-errors.js';
import { checkpoints } from './scenarios/checkpoints.js';
import { commandPermissions } from './scenarios/command-permissions.js';
import { context } from './scenarios/context.js';
import { control } from './scenarios/control.js';
import { customCommands } from './scenarios/custom-commands.js';
import { externalServers } from './scenarios/external-servers.js';
import { fileChanging } from './scenarios/file-changing.js';
import { filePermissions } from './scenarios/file-permissions.js';
import { fileReading } from './scenarios/file-reading.js';
import { fileTools } from './scenarios/file-tools.js';
import { hooks } from './scenarios/hooks.js';
import { input } from './scenarios/input.js';
import { interrupts } from './scenarios/interrupts.js';
import { knowledge } from './scenarios/knowledge.js';
import { notebookEditing } from './scenarios/notebook-editing.js';
import { offeredTools } from './scenarios/offered-tools.js';
import { output } from './scenarios/output.js';
import { permissionCorners } from './scenarios/permission-corners.js';
import { permissions } from './scenarios/permissions.js';
import { resources } from './scenarios/resources.js';
import { searchTools } from './scenarios/search-tools.js';
import { sessions } from './scenarios/sessions.js';
import { shellTools } from './scenarios/shell-tools.js';
import { shutdown } from './scenarios/shutdown.js';
import { subagentEndings } from './scenarios/subagent-endings.js';
import { subagents } from './scenarios/subagents.js';
import { systemPrompts } from './scenarios/system-prompts.js';
import { toolCalls } from './scenarios/tool-calls.js';
import { toolResultKinds } from './scenarios/tool-results.js';
import { userQuestions } from './scenarios/user-questions.js';
import type { Scenario } from './support/scenario.js';

export const TABLE = {
  'tool calls': toolCalls,
  'tool results': toolResultKinds,
  permissions,
  'permissions of files': filePermissions,
  'permissions of commands': commandPermissions,
  'corners of permissions': permissionCorners,
  hooks,
  interrupts,
  input,
  'control requests': control,
  'long conversations': context,
  'system prompts': systemPrompts,
  knowledge,
  'custom commands': customCommands,
  'external servers': externalServers,
  'resources of servers': resources,
  'output and limits': output,
  'errors of the API': apiErrors,
  checkpoints,
  'offered tools': offeredTools,
  'reading files': fileReading,
  'changing files': fileChanging,
  notebooks: notebookEditing,
  'file tools': fileTools,
  'search tools': searchTools,
  subagents,
  'ends of subagents': subagentEndings,
  'definitions of subagents': agentDefinitions,
  commands: shellTools,
  'questions to the user': userQuestions,
  sessions,
  'shutdown and failed starts': shutdown,
} as const satisfies Record<string, readonly Scenario[]>;
