import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OptionError, TenonError } from '../../protocol/errors.js';
import { projectsDirectory } from '../../sessions/places.js';
import { childEnvironment } from '../launch/environment.js';
import { type OpenAgent, openAgent, type Prompt } from '../open-agent.js';
import type { Options } from '../options.js';
import { checkPrompt } from '../query.js';
import { QueryHandle } from '../query-handle.js';
import type { Query } from '../query-type.js';
import { validateOptions } from '../validate-options.js';
import { checkClaim, sendClaim } from './claim.js';
import { ready } from './ready.js';
import type { ClaimedSession, ClaimOptions, SpareProcess, WarmParameters } from './warm-types.js';

export async function prewarm({
  options = {},
  initializeTimeoutMs,
}: WarmParameters = {}): Promise<SpareProcess> {
  validateOptions(options);
  if (options.runtime != null) {
    throw new OptionError(
      'runtime',
      options.runtime,
      'prewarm() starts a process of the CLI ahead of time. An embedded runtime has none and starts at once: call query().',
    );
  }
  const parked = options.cwd === undefined ? await parkingPlace(options) : undefined;
  const extraArgs = { ...options.extraArgs, 'await-claim': null };
  const agent = openAgent({ ...options, extraArgs, cwd: options.cwd ?? parked });
  const leave = (): Promise<void> =>
    parked === undefined ? Promise.resolve() : rm(parked, { recursive: true, force: true, maxRetries: 3 });
  const exited = agent.conversation.ending.exited.then(leave).catch(() => {});
  await ready(agent, 'prewarm', initializeTimeoutMs);
  return new Spare(agent, exited);
}

/** A directory of its own, so that the agent reads the settings of no project before it has one. */
async function parkingPlace(options: Options): Promise<string> {
  const config = dirname(projectsDirectory(childEnvironment(options.env, {})));
  await mkdir(join(config, 'spares'), { recursive: true, mode: 0o700 });
  return mkdtemp(join(config, 'spares', 'spare-'));
}

class Spare implements SpareProcess {
  readonly claimed: Promise<ClaimedSession>;
  readonly exited: Promise<void>;
  readonly #agent: OpenAgent;
  #settle: { resolve(session: ClaimedSession): void; reject(error: Error): void } | undefined;
  #state: 'parked' | 'claimed' | 'gone' = 'parked';

  constructor(agent: OpenAgent, exited: Promise<void>) {
    this.#agent = agent;
    this.exited = exited;
    this.claimed = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Waiting for it is optional: the loop of the query reports the same error.
    this.claimed.catch(() => {});
    void exited.then(() => this.#lost('spare_exited: the spare has left before it was claimed'));
  }

  get pid() {
    return this.#agent.conversation.pid;
  }

  claim({ prompt, options }: { prompt: Prompt; options: ClaimOptions }): Query {
    checkPrompt('SpareProcess.claim', prompt);
    checkClaim(options);
    if (this.#state !== 'parked') {
      const why =
        this.#state === 'claimed'
          ? 'can only be called once'
          : 'the spare was closed or has left; call query()';
      throw new TenonError('ALREADY_USED', `SpareProcess.claim(): ${why}.`);
    }
    this.#state = 'claimed';
    const { conversation, mcp, initialized, serverNames, say } = this.#agent;
    const claim = sendClaim(conversation, serverNames, options);
    const answered = claim.session.then(({ initialize }) => initialize ?? initialized);
    answered.catch(() => {});
    void claim.accepted.then(
      (session) => {
        say(prompt);
        this.#settle?.resolve(session);
      },
      (error: Error & { claim?: ClaimedSession }) => {
        this.#settle?.reject(error);
        // Only what the session can do without: it runs, without it.
        if (error.message.startsWith('option_not_applied')) say(prompt);
        else conversation.fail(error as TenonError);
      },
    );
    return new QueryHandle(conversation, answered, mcp);
  }

  close(): Promise<void> {
    this.#lost('spare_closed: the spare was closed before it was claimed');
    return this.#agent.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #lost(reason: string): void {
    if (this.#state !== 'parked') return;
    this.#state = 'gone';
    this.#settle?.reject(new TenonError('CLAIM_REFUSED', reason));
  }
}
