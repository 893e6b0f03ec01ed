// What the user is asked, offered and told.

interface Choice {
  label: string;
  description: string;
  /** Shown beside the list while the choice has the focus. */
  preview?: string;
}

interface Question {
  question: string;
  /** A few characters. */
  header: string;
  options: [Choice, Choice] | [Choice, Choice, Choice] | [Choice, Choice, Choice, Choice];
  multiSelect: boolean;
}

/** What a host adds to the input before it allows the call (`updatedInput`): `answers`, by question. */
export interface AskUserQuestionInput {
  questions:
    | [Question]
    | [Question, Question]
    | [Question, Question, Question]
    | [Question, Question, Question, Question];
  /** Several choices of one question are joined by commas. */
  answers?: { [question: string]: string };
  annotations?: { [question: string]: { preview?: string; notes?: string } };
  metadata?: { source?: string };
}

export interface AskUserQuestionOutput {
  questions: Question[];
  answers: { [question: string]: string };
  response?: string;
  annotations?: {
    [question: string]: {
      preview?: string;
      notes?: string;
      unanswered?: 'skipped' | 'replied_in_chat' | 'dismissed';
    };
  };
  afkTimeoutMs?: number;
}

interface ProposedSkill {
  name: string;
  kind: 'new' | 'improvement';
  target?: string;
  description: string;
  evidence?: string[];
  edits?: [Replacement, ...Replacement[]];
  skillMd?: string;
}

interface Replacement {
  old_string: string;
  new_string: string;
}

export interface ProposeSkillsInput {
  proposals: [ProposedSkill] | [ProposedSkill, ProposedSkill] | [ProposedSkill, ProposedSkill, ProposedSkill];
}

export interface ProposeSkillsOutput {
  proposalCount: number;
}

export interface ProposeGoalInput {
  condition: string;
  ask_user?: boolean;
}

export interface ProposeGoalOutput {
  condition: string;
  askUser: boolean;
}

type Level = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

interface Finding {
  file: string;
  line?: number;
  summary: string;
  short_summary?: string;
  failure_scenario: string;
  category?: string;
  verdict?: 'CONFIRMED' | 'PLAUSIBLE';
  outcome?: 'fixed' | 'skipped' | 'no_change_needed';
}

export interface ReportFindingsInput {
  level?: Level;
  findings: Finding[];
}

export interface ReportFindingsOutput {
  count: number;
  level?: Level;
  findings: Finding[];
}

export interface SendFeedbackInput {
  type: 'bug' | 'idea' | 'missing_capability';
  title: string;
  details: string;
  area?: string;
  failure_mode?:
    | 'instruction_following'
    | 'destructive_actions'
    | 'code_quality'
    | 'repetition_and_looping'
    | 'model_regression'
    | 'overconfidence_and_hallucination'
    | 'context_and_memory'
    | 'overeager'
    | 'over_correction'
    | 'stopping_short'
    | 'dispute_or_decline'
    | 'subagent_overspawn'
    | 'tone_or_preachiness'
    | 'excessive_questions'
    | 'unwanted_scope'
    | 'other';
  task_category?: 'code_edit' | 'debug' | 'explain' | 'plan' | 'shell' | 'search' | 'review' | 'other';
}

export interface SendFeedbackOutput {
  success: boolean;
  message: string;
}

export interface PushNotificationInput {
  message: string;
  status?: 'proactive';
}

export interface PushNotificationOutput {
  message: string;
  pushSent?: boolean;
  localSent?: boolean;
  disabledReason?: 'config_off' | 'user_present' | 'no_transport';
  sentAt?: string;
}

// biome-ignore lint/suspicious/noEmptyInterface: it has no fields, and is an interface as in the official typings.
export interface ReadNotificationsInput {}

export interface ReadNotificationsOutput {
  notifications: {
    notification_id: string;
    origin: string;
    queued_at: string;
    content: string;
    arrived_at?: string;
  }[];
  remaining: number;
  read_at?: string;
}

// biome-ignore lint/suspicious/noEmptyInterface: it has no fields, and is an interface as in the official typings.
export interface ShowOnboardingRolePickerInput {}

export interface ShowOnboardingRolePickerOutput {
  role?: string;
  dismissed?: boolean;
}

export interface OfferChromeSetupInput {
  reason?: string;
}

export interface OfferChromeSetupOutput {
  outcome: 'connected' | 'not_now' | 'no_attempt_yet';
}
