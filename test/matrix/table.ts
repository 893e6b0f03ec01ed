/** All scenarios of the matrix, class by class. */
import { apiErrors } from './scenarios/api-errors.js';
import { checkpoints } from './scenarios/checkpoints.js';
import { context } from './scenarios/context.js';
import { control } from './scenarios/control.js';
import { externalServers } from './scenarios/external-servers.js';
import { fileChanging } from './scenarios/file-changing.js';
import { fileReading } from './scenarios/file-reading.js';
import { fileTools } from './scenarios/file-tools.js';
import { hooks } from './scenarios/hooks.js';
import { input } from './scenarios/input.js';
import { interrupts } from './scenarios/interrupts.js';
import { knowledge } from './scenarios/knowledge.js';
import { notebookEditing } from './scenarios/notebook-editing.js';
import { offeredTools } from './scenarios/offered-tools.js';
import { output } from './scenarios/output.js';
import { permissions } from './scenarios/permissions.js';
import { searchTools } from './scenarios/search-tools.js';
import { sessions } from './scenarios/sessions.js';
import { shellTools } from './scenarios/shell-tools.js';
import { shutdown } from './scenarios/shutdown.js';
import { subagents } from './scenarios/subagents.js';
import { toolCalls } from './scenarios/tool-calls.js';
import { toolResultKinds } from './scenarios/tool-results.js';
import { userQuestions } from './scenarios/user-questions.js';
import type { Scenario } from './support/scenario.js';

export const TABLE = {
  'tool calls': toolCalls,
  'tool results': toolResultKinds,
  permissions,
  hooks,
  interrupts,
  input,
  'control requests': control,
  'long conversations': context,
  knowledge,
  'external servers': externalServers,
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
  commands: shellTools,
  'questions to the user': userQuestions,
  sessions,
  'shutdown and failed starts': shutdown,
} as const satisfies Record<string, readonly Scenario[]>;
