import { messageOf, OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { type Recorded, TAPE_OF } from '../protocol/transport/run-events.js';
import type { ExplainableQuery, ToolCallSource } from './explain-tool-call.js';
import { funnelOf } from './run/funnel.js';
import { Run } from './run/run.js';
import { runOfTape } from './run/run-of-tape.js';
import type { FunnelStep, ToolFunnel } from './run/views.js';
import type { Tape } from './tape-format.js';
import { readTape, tapeLines } from './tape-reader.js';

/** `explainToolCall()`, loaded when it is called. */
export async function funnelOfSource(source: ToolCallSource, name: string): Promise<ToolFunnel> {
  if (typeof source === 'string') return funnelOf(runOfTape(readTape(source)), name);
  if (source instanceof Run) return funnelOf(source, name);
  if (isTape(source)) return funnelOf(runOfTape(source), name);
  if (!isQuery(source)) {
    throw new OptionError(
      'source',
      source,
      'explainToolCall(): the first argument must be the path of a tape, what readTape() has read, or a query.',
    );
  }
  const tape = await (source as ExplainableQuery & Recorded)[TAPE_OF]?.();
  return tape === undefined ? ofAnswers(source, name) : funnelOf(runUntilNow(tape), name);
}

function isTape(source: unknown): source is Tape {
  return isRecord(source) && isRecord(source.head) && Array.isArray(source.lines);
}

function isQuery(source: unknown): source is ExplainableQuery {
  if (typeof source !== 'object' || source === null) return false;
  const { mcpServerStatus, getContextUsage } = source as Partial<ExplainableQuery>;
  return typeof mcpServerStatus === 'function' && typeof getContextUsage === 'function';
}

/** A tape that may still be written: more may come. */
function runUntilNow(file: string): Run {
  const [head, ...lines] = [...tapeLines(file)].map(({ line }) => line);
  const run = new Run(head as Run['head']);
  for (const line of lines) run.add(line as Run['lines'][number]);
  return run;
}

const NOT_RECORDED =
  "Nobody records this query, so nobody knows. Record it: query({ prompt, options: { record: 'run.tape' } })";

async function ofAnswers(query: ExplainableQuery, name: string): Promise<ToolFunnel> {
  const run = new Run({
    tape: 1,
    tenon: 'unknown',
    node: 'unknown',
    platform: 'unknown',
    startedAt: new Date(0).toISOString(),
    conversation: 'a query',
    backEnd: 'transport',
    agent: 'The agent',
    options: {},
  });
  answer(run, 1, 'mcp_status', { mcpServers: await query.mcpServerStatus() });
  // An agent that has no such answer, or is just leaving, has told enough.
  const usage = await query.getContextUsage().catch((error: unknown) => messageOf(error));
  if (isRecord(usage)) answer(run, 2, 'get_context_usage', usage);
  return withoutGuesses(funnelOf(run, name), isRecord(usage) ? usage : {});
}

/** As if it stood on a tape. */
function answer(run: Run, id: number, subtype: string, response: Record<string, unknown>): void {
  const request_id = String(id);
  const common = { kind: 'frame', t: 0 } as const;
  const request = { type: 'control_request', request_id, request: { subtype } };
  run.add({ ...common, n: id * 2 - 1, direction: '>', frame: request });
  const success = { subtype: 'success' as const, request_id, response };
  run.add({ ...common, n: id * 2, direction: '<', frame: { type: 'control_response', response: success } });
}

/** Only what was asked for is known; what comes after a fault in it does not matter. */
function withoutGuesses(funnel: ToolFunnel, usage: Record<string, unknown>): ToolFunnel {
  const tools = Array.isArray(usage.mcpTools) ? usage.mcpTools.filter(isRecord) : [];
  const found = tools.find(({ name }) => name === funnel.tool);
  let isOver = false;
  let broken: ToolFunnel['broken'];
  const steps = funnel.steps.map((step): FunnelStep => {
    if (isOver) return { ...step, state: 'not reached', detail: '' };
    const known = knownStep(step, funnel, found);
    isOver = known.state === 'broken';
    if (isOver) broken = { step: step.name, reason: known.detail, remedy: known.remedy ?? '' };
    return { name: step.name, state: known.state, detail: known.detail, frame: undefined };
  });
  return { ...funnel, steps, broken };
}

type KnownStep = Pick<FunnelStep, 'state' | 'detail'> & { readonly remedy?: string };

function knownStep(
  step: FunnelStep,
  { broken }: ToolFunnel,
  found: Record<string, unknown> | undefined,
): KnownStep {
  if (step.name === 'visible' && found !== undefined) {
    return { state: 'done', detail: 'The agent counts it among its tools.' };
  }
  if (step.name === 'in the prompt' && found?.isLoaded === true) {
    return { state: 'done', detail: 'The agent says that it is in the prompt.' };
  }
  if (step.name === 'in the prompt' && found?.isLoaded === false) {
    return {
      state: 'broken',
      detail: 'It is deferred behind ToolSearch: the model sees it only after it has searched for it.',
      remedy: "Mark the tool `alwaysLoad: true`, or load all of them: env: { ENABLE_TOOL_SEARCH: 'false' }",
    };
  }
  const isAsked = step.name === 'defined' || step.name === 'connected' || step.name === 'listed';
  if (!isAsked) return { state: 'unknown', detail: NOT_RECORDED };
  return broken?.step === step.name
    ? { state: 'broken', detail: broken.reason, remedy: broken.remedy }
    : { state: step.state, detail: step.detail };
}
