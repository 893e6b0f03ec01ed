import { messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import type { ClaimSessionPayload } from '../../protocol/wire/control-requests.js';
import type { Conversation } from '../conversation/conversation.js';
import type { ClaimedSession, ClaimOptions } from './warm-types.js';

type SettingsOverlay = Record<string, unknown>;

/** These are sent after the claim. All others affect what the claim starts, and are sent before it. */
const AFTER_CLAIM: ReadonlySet<string> = new Set([
  'agent',
  'availableModels',
  'disableAutoMode',
  'fastMode',
  'model',
  'permissions',
]);
const HOOKS = [
  'hooks',
  'disableAllHooks',
  'allowManagedHooksOnly',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
];

export function checkClaim(options: ClaimOptions): void {
  if (typeof options?.cwd !== 'string') {
    throw new OptionError(
      'cwd',
      options?.cwd,
      'SpareProcess.claim(): `options.cwd` must be the directory of the session.',
    );
  }
  const hookSettings = HOOKS.filter((key) => key in (options.settings ?? {}));
  if (hookSettings.length > 0) {
    throw new OptionError(
      'settings',
      options.settings,
      `SpareProcess.claim(): hook settings (${hookSettings.join(', ')}) cannot be claimed. Pass them to prewarm() in ` +
        '`options.settings`. Nothing was sent: the spare can still be claimed without them.',
    );
  }
}

export interface SentClaim {
  /** The agent's answer to the claim alone. */
  session: Promise<ClaimSessionPayload>;
  /** The answers to everything that was sent. */
  accepted: Promise<ClaimedSession>;
}

/** Writes everything at once; the agent handles it in order. */
export function sendClaim(
  conversation: Conversation,
  servers: readonly string[],
  options: ClaimOptions,
): SentClaim {
  const settings = Object.entries((options.settings ?? {}) as SettingsOverlay);
  const before = overlay(
    conversation,
    settings.filter(([key]) => !AFTER_CLAIM.has(key)),
  );
  const session = conversation
    .control('claim_session', {
      cwd: options.cwd,
      env: options.env,
      permission_mode: options.permissionMode,
      additional_directories: options.additionalDirectories,
      append_system_prompt: options.appendSystemPrompt,
      title: options.title,
      agents: options.agents,
      sdk_mcp_servers: [...servers],
      include_initialize: true,
    })
    .catch(refuse(''));
  const { model, maxThinkingTokens } = options;
  const optional = [
    ...(model === undefined ? [] : [conversation.control('set_model', { model })]),
    ...(maxThinkingTokens === undefined
      ? []
      : [conversation.control('set_max_thinking_tokens', { max_thinking_tokens: maxThinkingTokens })]),
  ];
  const after = overlay(
    conversation,
    settings.filter(([key]) => AFTER_CLAIM.has(key)),
  );
  return { session, accepted: accept(before, session, optional, after) };
}

async function accept(
  before: Promise<void>,
  session: Promise<ClaimSessionPayload>,
  optional: readonly Promise<unknown>[],
  after: Promise<void>,
): Promise<ClaimedSession> {
  const settled = Promise.allSettled([before, session, after, ...optional]);
  await before;
  const {
    cwd,
    session_id: sessionId,
    parked_ms: parkedMs,
    sdk_mcp_settled: sdkMcpSettled = false,
  } = await session;
  const claim: ClaimedSession = {
    cwd,
    sessionId,
    sdkMcpSettled,
    ...(parkedMs === undefined ? {} : { parkedMs }),
  };
  await after.catch((error: Error) => Promise.reject(Object.assign(error, { claim })));
  const refused = (await settled).slice(3).find((answer) => answer.status === 'rejected');
  if (refused === undefined) return claim;
  return refuse('option_not_applied: ')(refused.reason).catch((error: Error) =>
    Promise.reject(Object.assign(error, { claim })),
  );
}

async function overlay(conversation: Conversation, settings: readonly [string, unknown][]): Promise<void> {
  if (settings.length === 0) return;
  await conversation
    .control('apply_flag_settings', { settings: Object.fromEntries(settings) })
    .catch(refuse('settings_not_applied: '));
}

/** The agent's reason comes first, where programs look for it. */
function refuse(prefix: string): (error: unknown) => Promise<never> {
  return (error) =>
    Promise.reject(new TenonError('CLAIM_REFUSED', `${prefix}${messageOf(error)}`, { cause: error }));
}
