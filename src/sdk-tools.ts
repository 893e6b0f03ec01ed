// `tenon/sdk-tools`: the arguments and results of the CLI's own tools, types only. `tool_input` of a hook and the `input`
// of `canUseTool` are such an input; `tool_response` of a hook and `tool_use_result` of a message such an output.

import type { ArtifactInput, ArtifactOutput } from './protocol/wire/tools/artifacts.js';
import type {
  BashInput,
  BashOutput,
  CronCreateInput,
  CronCreateOutput,
  CronDeleteInput,
  CronDeleteOutput,
  CronListInput,
  CronListOutput,
  MonitorInput,
  MonitorOutput,
  RemoteTriggerInput,
  RemoteTriggerOutput,
  ScheduleWakeupInput,
  ScheduleWakeupOutput,
  TaskStopInput,
  TaskStopOutput,
} from './protocol/wire/tools/commands.js';
import type {
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  GlobInput,
  GlobOutput,
  GrepInput,
  GrepOutput,
  NotebookEditInput,
  NotebookEditOutput,
} from './protocol/wire/tools/files.js';
import type {
  ClaudeDesignInput,
  ClaudeDesignOutput,
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  McpOutput,
  ProjectsInput,
  ProjectsOutput,
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput,
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
  RefreshMcpToolsInput,
  RefreshMcpToolsOutput,
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
} from './protocol/wire/tools/remote.js';
import type {
  AskUserQuestionInput,
  AskUserQuestionOutput,
  OfferChromeSetupInput,
  OfferChromeSetupOutput,
  ProposeGoalInput,
  ProposeGoalOutput,
  ProposeSkillsInput,
  ProposeSkillsOutput,
  PushNotificationInput,
  PushNotificationOutput,
  ReadNotificationsInput,
  ReadNotificationsOutput,
  ReportFindingsInput,
  ReportFindingsOutput,
  SendFeedbackInput,
  SendFeedbackOutput,
  ShowOnboardingRolePickerInput,
  ShowOnboardingRolePickerOutput,
} from './protocol/wire/tools/user.js';
import type {
  AgentInput,
  AgentOutput,
  EnterPlanModeInput,
  EnterPlanModeOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
  TodoWriteInput,
  TodoWriteOutput,
  WorkflowInput,
  WorkflowOutput,
} from './protocol/wire/tools/work.js';

export type {
  ArtifactInput,
  ArtifactOutput,
} from './protocol/wire/tools/artifacts.js';
export type {
  BashInput,
  BashOutput,
  CronCreateInput,
  CronCreateOutput,
  CronDeleteInput,
  CronDeleteOutput,
  CronListInput,
  CronListOutput,
  MonitorInput,
  MonitorOutput,
  RemoteTriggerInput,
  RemoteTriggerOutput,
  ScheduleWakeupInput,
  ScheduleWakeupOutput,
  TaskStopInput,
  TaskStopOutput,
} from './protocol/wire/tools/commands.js';
export type {
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  GlobInput,
  GlobOutput,
  GrepInput,
  GrepOutput,
  NotebookEditInput,
  NotebookEditOutput,
} from './protocol/wire/tools/files.js';
export type {
  ClaudeDesignInput,
  ClaudeDesignOutput,
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  McpOutput,
  ProjectsInput,
  ProjectsOutput,
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput,
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
  RefreshMcpToolsInput,
  RefreshMcpToolsOutput,
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
} from './protocol/wire/tools/remote.js';
export type {
  AskUserQuestionInput,
  AskUserQuestionOutput,
  OfferChromeSetupInput,
  OfferChromeSetupOutput,
  ProposeGoalInput,
  ProposeGoalOutput,
  ProposeSkillsInput,
  ProposeSkillsOutput,
  PushNotificationInput,
  PushNotificationOutput,
  ReadNotificationsInput,
  ReadNotificationsOutput,
  ReportFindingsInput,
  ReportFindingsOutput,
  SendFeedbackInput,
  SendFeedbackOutput,
  ShowOnboardingRolePickerInput,
  ShowOnboardingRolePickerOutput,
} from './protocol/wire/tools/user.js';
export type {
  AgentInput,
  AgentOutput,
  EnterPlanModeInput,
  EnterPlanModeOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
  TodoWriteInput,
  TodoWriteOutput,
  WorkflowInput,
  WorkflowOutput,
} from './protocol/wire/tools/work.js';

/** Any output of any tool. */
export type ToolOutputSchemas =
  | AgentOutput
  | ArtifactOutput
  | AskUserQuestionOutput
  | BashOutput
  | ClaudeDesignOutput
  | CronCreateOutput
  | CronDeleteOutput
  | CronListOutput
  | EnterPlanModeOutput
  | EnterWorktreeOutput
  | ExitPlanModeOutput
  | ExitWorktreeOutput
  | FileEditOutput
  | FileReadOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | ListMcpResourcesOutput
  | McpOutput
  | MonitorOutput
  | NotebookEditOutput
  | OfferChromeSetupOutput
  | ProjectsOutput
  | ProposeGoalOutput
  | ProposeSkillsOutput
  | PushNotificationOutput
  | ReadMcpResourceDirOutput
  | ReadMcpResourceOutput
  | ReadNotificationsOutput
  | RefreshMcpToolsOutput
  | RemoteTriggerOutput
  | ReportFindingsOutput
  | ScheduleWakeupOutput
  | SendFeedbackOutput
  | ShowOnboardingRolePickerOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskStopOutput
  | TaskUpdateOutput
  | TodoWriteOutput
  | WebFetchOutput
  | WebSearchOutput
  | WorkflowOutput;

/** Any input or output of any tool. */
export type ToolInputSchemas =
  | AgentInput
  | ArtifactInput
  | AskUserQuestionInput
  | BashInput
  | ClaudeDesignInput
  | CronCreateInput
  | CronDeleteInput
  | CronListInput
  | EnterPlanModeInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | ExitWorktreeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | OfferChromeSetupInput
  | ProjectsInput
  | ProposeGoalInput
  | ProposeSkillsInput
  | PushNotificationInput
  | ReadMcpResourceDirInput
  | ReadMcpResourceInput
  | ReadNotificationsInput
  | RefreshMcpToolsInput
  | RemoteTriggerInput
  | ReportFindingsInput
  | ScheduleWakeupInput
  | SendFeedbackInput
  | ShowOnboardingRolePickerInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | WebFetchInput
  | WebSearchInput
  | WorkflowInput
  | ToolOutputSchemas;
