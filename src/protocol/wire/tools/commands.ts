// Commands of a shell, and what goes on in the background or later.

export interface BashInput {
  command: string;
  /** In milliseconds. */
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
}

export interface BashOutput {
  stdout: string;
  stderr: string;
  rawOutputPath?: string;
  interrupted: boolean;
  isImage?: boolean;
  backgroundTaskId?: string;
  backgroundedByUser?: boolean;
  timedOutAfterMs?: number;
  backgroundCwdHint?: string;
  backgroundEndsWithFinalResponse?: true;
  backgroundWakesOwner?: true;
  dangerouslyDisableSandbox?: boolean;
  returnCodeInterpretation?: string;
  noOutputExpected?: boolean;
  structuredContent?: unknown[];
  /** Where an output is that was too long. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  staleReadFileStateHint?: string;
  ghRateLimitHint?: string;
  gitOperation?: {
    commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
    push?: { branch: string };
    branch?: { ref: string; action: 'merged' | 'rebased' };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
}

/** Either `command` or `ws`, whose messages are the events. */
export interface MonitorInput {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: { url: string; protocols?: string[] };
}

export interface MonitorOutput {
  taskId: string;
  timeoutMs: number;
  persistent?: boolean;
}

export interface TaskStopInput {
  task_id?: string;
  /** The older name of `task_id`. */
  shell_id?: string;
}

export interface TaskStopOutput {
  message: string;
  task_id: string;
  task_type: string;
  command?: string;
}

export interface CronCreateInput {
  /** Five fields, in local time. */
  cron: string;
  prompt: string;
  recurring?: boolean;
  durable?: boolean;
}

export interface CronCreateOutput {
  id: string;
  humanSchedule: string;
  recurring: boolean;
  durable?: boolean;
  nextFireAt?: number;
}

export interface CronDeleteInput {
  id: string;
}

export interface CronDeleteOutput {
  id: string;
  endedLoopWakeup?: true;
}

// biome-ignore lint/suspicious/noEmptyInterface: it has no fields, and is an interface as in the official typings.
export interface CronListInput {}

export interface CronListOutput {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring?: boolean;
    durable?: boolean;
    nextFireAt?: number;
  }[];
}

export interface ScheduleWakeupInput {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
}

export interface ScheduleWakeupOutput {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  cancelledWakeups?: number;
}

export interface RemoteTriggerInput {
  action:
    | 'list'
    | 'get'
    | 'create'
    | 'update'
    | 'run'
    | 'create_webhook_trigger'
    | 'list_runs'
    | 'get_run_log';
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: { [key: string]: unknown };
}

export interface RemoteTriggerOutput {
  status: number;
  json: string;
  summary?: string;
}
