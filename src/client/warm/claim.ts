import type { ClaimSessionPayload } from '../../protocol/control-requests.js';
import { messageOf, OptionError, TenonError } from '../../protocol/errors.js';
import type { Conversation } from '../conversation.js';
import type { ClaimedSession, ClaimOptions } from './warm-types.js';

type SettingsOverlay = Record<string, unknown>;

/** These go behind the claim. All others decide what the claim itself starts, and go before it. */
const BEHIND: ReadonlySet<string> = new Set([
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
  const forHooks = HOOKS.filter((key) => key in (options.settings ?? {}));
  if (forHooks.length > 0) {
    throw new OptionError(
      'settings',
      options.settings,
      `SpareProcess.claim(): settings of hooks (${forHooks.join(', ')}) cannot be claimed. Give them to prewarm() in ` +
        '`options.settings`. Nothing was sent: the spare can still be claimed without them.',
    );
  }
}

export interface SentClaim {
  /** The agent's answer to the claim alone. */
  session: Promise<ClaimSessionPayload>;
  /** The answers to all that was sent. */
  accepted: Promise<ClaimedSession>;
}

/** Everything is written at once, in order; the agent takes it in that order. */
export function sendClaim(
  conversation: Conversation,
  servers: readonly string[],
  options: ClaimOptions,
): SentClaim {
  const settings = Object.entries((options.settings ?? {}) as SettingsOverlay);
  const before = overlay(
    conversation,
    settings.filter(([key]) => !BEHIND.has(key)),
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
  const behind = overlay(
    conversation,
    settings.filter(([key]) => BEHIND.has(key)),
  );
  return { session, accepted: accept(before, session, optional, behind) };
}

async function accept(
  before: Promise<void>,
  session: Promise<ClaimSessionPayload>,
  optional: readonly Promise<unknown>[],
  behind: Promise<void>,
): Promise<ClaimedSession> {
  const settled = Promise.allSettled([before, session, behind, ...optional]);
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
  await behind.catch((error: Error) => Promise.reject(Object.assign(error, { claim })));
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

/** The agent's reason first, as programs look for it there. */
function refuse(prefix: string): (error: unknown) => Promise<never> {
  return (error) =>
    Promise.reject(new TenonError('CLAIM_REFUSED', `${prefix}${messageOf(error)}`, { cause: error }));
}
