import { type AgentRuntime, type AgentStart, EMBEDDED_RUNTIME } from '../options/agent-runtime.js';
import { checkMode, FlagError, parseArguments, writeExtra } from '../options/flags.js';
import type { AgentPlan } from '../options/plan.js';
import type { RuntimeFacts } from '../options/row.js';
import { checkEmbedded, checkReceived } from '../options/support.js';
import { clock, type Timer } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import { refusedTransport } from '../protocol/transport/failed-transport.js';
import { memoryTransportPair } from '../protocol/transport/memory-transport.js';
import type { Transport } from '../protocol/transport/transport.js';
import { wrapReceiver, wrapTransport } from '../protocol/transport/wrap-transport.js';
import { checkFetcher } from '../workspace/tools/web-fetch.js';
import { checkContext } from './context/context-options.js';
import { checkJournal } from './journal.js';
import { checkKnowledge } from './knowledge/values.js';
import { checkModel } from './model.js';
import { type RunningRuntime, serveRuntime } from './serve.js';
import { checkCache, factsOf, type PlacedConfig } from './start/runtime-config.js';
import { checkMaxResultChars } from './tools/result-bounds.js';
import { traced } from './traced.js';
import { watchedModel } from './watched-model.js';

/**
 * Runs the agent in this process: `query({ options: { runtime: embedded({ model }) } })`. One value serves
 * any number of queries.
 */
export function embedded(config: PlacedConfig): AgentRuntime {
  checkModel(config, 'embedded');
  checkCache(config, 'embedded');
  checkMaxResultChars(config.maxResultChars);
  checkFetcher(config.fetcher);
  checkContext(config.context);
  checkKnowledge(config, 'embedded');
  checkJournal(config, 'embedded');
  return {
    name: EMBEDDED_RUNTIME,
    open: (start) => open(config, start),
    withJournal: (journal) => embedded({ ...config, journal }),
  };
}

function open(given: PlacedConfig, start: AgentStart): Transport {
  const { onModel, trace } = start;
  const watched = onModel === undefined ? given : { ...given, model: watchedModel(given.model, onModel) };
  const config = trace === undefined ? watched : traced(watched, trace);
  const facts = factsOf(config);
  checkEmbedded(start.options, facts, start.warn);
  const { env, cwd, sessionStore, sessionStoreFlush = 'batched', loadTimeoutMs } = start;
  let flags: AgentPlan;
  try {
    flags = planFor(start, facts);
  } catch (error) {
    if (error instanceof FlagError) return refusedTransport(`${error.message}\n`);
    throw error;
  }
  const [hostSide, agentSide] = memoryTransportPair();
  // Text written before anyone listens is buffered.
  let early = '';
  let writeStderr = (text: string): void => {
    early += text;
  };
  const agent = serveRuntime(agentSide, config, {
    flags,
    isChecked: true,
    cwd,
    ...(sessionStore === undefined ? {} : { sessionStore, sessionStoreFlush, loadTimeoutMs }),
    env,
    reportsState: env.CLAUDE_CODE_SDK_READS_SESSION_STATE === '1',
    onStderr: (text) => writeStderr(text),
  });
  const stopping = new Stopping(agent, () => void hostSide.stop());
  return wrapTransport(hostSide, {
    start: (receiver) => {
      writeStderr = (text) => receiver.stderr(text);
      if (early !== '') writeStderr(early);
      hostSide.start(
        wrapReceiver(receiver, {
          // There is no process to report an exit code, so this is the one a program would have had.
          end: (end) => void stopping.finished.then((code) => receiver.end({ ...end, code })),
        }),
      );
    },
    stop: async (graceMs) => {
      stopping.begin(graceMs);
      // Nobody reads any more, and unread frames must not delay the end.
      hostSide.resume();
      hostSide.endInput();
      await stopping.finished;
    },
  });
}

/** The measures against an agent that is to end: none at first, then it is aborted, then given up. */
class Stopping {
  /** Resolves with its exit code, also if it was given up. */
  readonly finished: Promise<number>;
  readonly #agent: RunningRuntime;
  readonly #giveUp: () => void;
  #timer: Timer | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(agent: RunningRuntime, disconnect: () => void) {
    this.#agent = agent;
    let giveUp = (): void => {};
    this.finished = new Promise((resolve) => {
      giveUp = () => resolve(1);
      void agent.finished.then((code) => {
        this.#deadline = 0;
        clock.clearTimeout(this.#timer);
        resolve(code);
      });
    });
    this.#giveUp = () => {
      giveUp();
      disconnect();
    };
  }

  /** A second call can only shorten the grace period. Without one, what is running is aborted at once. */
  begin(graceMs: number = LIMITS.closeGraceMs): void {
    const deadline = clock.monotonic() + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = graceMs === 0 ? 0 : deadline;
    clock.clearTimeout(this.#timer);
    if (graceMs === 0) this.#abort();
    else this.#timer = clock.setTimeout(() => this.#abort(), graceMs);
  }

  #abort(): void {
    this.#deadline = 0;
    this.#timer = clock.setTimeout(this.#giveUp, LIMITS.killGraceMs + LIMITS.reapMs);
    this.#agent.abort();
  }
}

/**
 * Only flags without an option of their own have to be parsed. Throws `FlagError` with the text of a
 * program.
 */
function planFor({ plan, warn }: AgentStart, facts: RuntimeFacts): AgentPlan {
  const { extraArgs, ...rest } = plan;
  checkMode(rest.permissionMode);
  if (extraArgs === undefined) return plan;
  const args = writeExtra(extraArgs);
  checkReceived({ plan: parseArguments(args, JSON.parse) }, facts, warn);
  return parseArguments(args, JSON.parse, rest);
}
