import { clock, type Timer } from '../../protocol/base/clock.js';
import { OptionError, type TenonError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { closest } from '../../protocol/base/similar.js';
import type { HostRequestPayload } from '../../protocol/wire/control-requests.js';

type Initialized = Promise<HostRequestPayload<'initialize'>>;

/**
 * The answer to `initialize`; if it shows that there is no such agent, `fail` ends the conversation. The CLI
 * ignores a name that it does not know: it would work without the prompt and the limits that it stands for.
 * Only the CLI knows them all: those of the options, of files, of plugins and its own.
 */
export async function withAgent(
  name: string,
  initialized: Initialized,
  fail: (error: TenonError) => void,
): Initialized {
  const answer = await initialized;
  const error = unknownAgent(name, answer?.agents);
  if (error === undefined) return answer;
  fail(error);
  throw error;
}

/** Before 2.1.100 the CLI does not list its agents; where it does, there are always some. */
function unknownAgent(name: string, listed: unknown): OptionError | undefined {
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const names = listed.flatMap((agent) =>
    isRecord(agent) && typeof agent.name === 'string' ? [agent.name] : [],
  );
  // An agent of a plugin, `plugin:name`, is also known by its short name.
  if (names.some((known) => known === name || known.endsWith(`:${name}`))) return undefined;
  const similar = closest(name, names);
  return new OptionError(
    'agent',
    name,
    `\`agent\`: there is no agent "${name}". ${similar === undefined ? '' : `Did you mean "${similar}"? `}` +
      `The agents are: ${names.join(', ')}. Define it in \`agents\`, or let \`settingSources\` read the file that defines it.`,
    'AGENT_NOT_FOUND',
  );
}

/**
 * Calls back when the agent has answered `initialize`. One that takes long is not kept from working; should
 * its answer then show that there is no such agent, the conversation ends.
 */
export async function afterAnswer(initialized: Initialized, callback: () => void): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, LIMITS.initializeMs);
  });
  await Promise.race([initialized.catch(() => {}), late]);
  clock.clearTimeout(timer);
  callback();
}
