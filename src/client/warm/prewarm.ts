import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../../options/environment.js';
import { givenOptions } from '../../options/normalise.js';
import type { GivenOptions } from '../../options/row.js';
import { OptionError, TenonError } from '../../protocol/base/errors.js';
import { projectsDirectory } from '../../sessions/places.js';
import type { Prompt } from '../conversation/user-input.js';
import { checkPrompt, type OpenAgent, openAgent } from '../query/open-agent.js';
import { nodeMachine } from '../query/query.js';
import { QueryHandle } from '../query/query-handle.js';
import type { Query } from '../query/query-type.js';
import { checkClaim, sendClaim } from './claim.js';
import { untilReady } from './startup.js';
import type { ClaimedSession, ClaimOptions, SpareProcess, WarmParameters } from './warm-types.js';

export async function prewarm({
  options: all = {},
  initializeTimeoutMs,
}: WarmParameters = {}): Promise<SpareProcess> {
  const options = givenOptions(all, 'prewarm');
  if (options.runtime !== undefined) {
    throw new OptionError(
      'runtime',
      options.runtime,
      'prewarm() starts a process of the CLI in advance. An embedded runtime has none and starts immediately: call query().',
    );
  }
  const parked = options.cwd === undefined ? await parkingPlace(options) : undefined;
  const extraArgs = { ...options.extraArgs, 'await-claim': null };
  const parkedOptions = { ...options, extraArgs, ...(parked === undefined ? {} : { cwd: parked }) };
  const removeParkingPlace = async (): Promise<void> => {
    if (parked !== undefined) await rm(parked, { recursive: true, force: true, maxRetries: 3 });
  };
  let agent: OpenAgent;
  try {
    agent = openAgent(parkedOptions, nodeMachine);
  } catch (error) {
    await removeParkingPlace();
    throw error;
  }
  const exited = agent.conversation.exited.then(removeParkingPlace).catch(() => {});
  try {
    await untilReady(agent, 'prewarm', initializeTimeoutMs);
  } catch (error) {
    await exited;
    throw error;
  }
  return new Spare(agent, exited);
}

/** An empty directory, so that the agent does not read any project's settings before it has a project. */
async function parkingPlace(options: GivenOptions): Promise<string> {
  const config = dirname(projectsDirectory(childEnvironment(options.env, {})));
  await mkdir(join(config, 'spares'), { recursive: true, mode: 0o700 });
  return mkdtemp(join(config, 'spares', 'spare-'));
}

class Spare implements SpareProcess {
  readonly claimed: Promise<ClaimedSession>;
  readonly exited: Promise<void>;
  readonly #agent: OpenAgent;
  #settle: { resolve(session: ClaimedSession): void; reject(error: Error): void } | undefined;
  #state: 'parked' | 'claimed' | 'lost' = 'parked';

  constructor(agent: OpenAgent, exited: Promise<void>) {
    this.#agent = agent;
    this.exited = exited;
    this.claimed = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Awaiting it is optional: the query's loop reports the same error.
    this.claimed.catch(() => {});
    void exited.then(() => this.#lost('spare_exited: the spare exited before it was claimed'));
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
          : 'the spare was closed or has exited; call query()';
      throw new TenonError('ALREADY_USED', `SpareProcess.claim(): ${why}.`);
    }
    this.#state = 'claimed';
    const { conversation, mcp, initialized, serverNames, say, tape } = this.#agent;
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
        // The session works without that option, so it continues.
        if (error.message.startsWith('option_not_applied')) say(prompt);
        else conversation.fail(error as TenonError);
      },
    );
    return new QueryHandle(conversation, answered, mcp, tape);
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
    this.#state = 'lost';
    this.#settle?.reject(new TenonError('CLAIM_REFUSED', reason));
  }
}
