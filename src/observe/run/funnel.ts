import { gaveResult, isEmpty, permitted, ran, requested, tellingCall, wasTaken } from './funnel-call.js';
import { broken, done, type Finding, OFFER_STEPS } from './funnel-offer.js';
import type { Run } from './run.js';
import { toolSpanId } from './spans.js';
import type { ToolCall } from './tool-calls.js';
import { type Subject, subjectOf, subjectsOf } from './tool-subject.js';
import type { FunnelStep, FunnelStepName, ToolFunnel } from './views.js';

/** Why a tool was called, or was not. `name` may be short: `stock` is `mcp__shop__stock`. */
export function funnelOf(run: Run, name: string): ToolFunnel {
  const subject = subjectOf(run, name);
  return funnelFor(run, subject, callsByTool(run).get(subject.name) ?? []);
}

/** One for each tool that the tape names: those of servers first. */
export function funnelsOf(run: Run): readonly ToolFunnel[] {
  return run.view(makeFunnels);
}

function makeFunnels(run: Run): readonly ToolFunnel[] {
  const calls = callsByTool(run);
  const all = subjectsOf(run).map((subject) => funnelFor(run, subject, calls.get(subject.name) ?? []));
  return [
    ...all.filter(({ server }) => server !== undefined),
    ...all.filter(({ server }) => server === undefined),
  ];
}

function callsByTool(run: Run): ReadonlyMap<string, readonly ToolCall[]> {
  return run.view(groupCalls);
}

function groupCalls(run: Run): ReadonlyMap<string, readonly ToolCall[]> {
  const groups = new Map<string, ToolCall[]>();
  for (const call of run.tools.all) {
    const group = groups.get(call.name);
    if (group === undefined) groups.set(call.name, [call]);
    else group.push(call);
  }
  return groups;
}

function funnelFor(run: Run, subject: Subject, calls: readonly ToolCall[]): ToolFunnel {
  const steps: FunnelStep[] = [];
  let stopped: FunnelStepName | undefined;
  let fault: ToolFunnel['broken'];
  for (const [name, find] of findings(run, subject, calls)) {
    if (stopped !== undefined) {
      steps.push({
        name,
        state: 'not reached',
        detail: `It did not come to that: see "${stopped}".`,
        frame: undefined,
      });
      continue;
    }
    const { state, detail, frame, remedy = '' } = find();
    steps.push({ name, state, detail, frame });
    if (state === 'broken' || state === 'waiting') stopped = name;
    if (state === 'broken') fault = { step: name, reason: detail, remedy };
  }
  return {
    tool: subject.name,
    server: subject.server?.name,
    description: subject.description,
    inputSchema: subject.inputSchema,
    steps,
    broken: fault,
    calls: calls.map(({ id }) => toolSpanId(id)),
    failed: calls.filter((call) => call.isError || (call.end !== undefined && isEmpty(call))).length,
  };
}

const NOTHING: Finding = { state: 'unknown', detail: '' };

/** What is to be found out about each step, in order. */
function* findings(
  run: Run,
  subject: Subject,
  calls: readonly ToolCall[],
): Generator<[FunnelStepName, () => Finding]> {
  const isKnown = calls.some(wasTaken);
  for (const [name, find] of Object.entries(OFFER_STEPS)) {
    yield [
      name as FunnelStepName,
      () => {
        const finding = find(run, subject);
        if (isKnown) return certain(finding);
        return name === 'visible' && finding.state === 'done' ? (refused(calls) ?? finding) : finding;
      },
    ];
  }
  yield ['requested', () => requested(run, subject, calls)];
  const call = tellingCall(calls);
  const about = (find: (call: ToolCall) => Finding) => () => (call === undefined ? NOTHING : find(call));
  yield ['permitted', about((each) => permitted(run, subject, each))];
  yield ['ran', about((each) => ran(run, each))];
  yield ['result', about((each) => gaveResult(subject, each, calls))];
}

/** The agent has the tool, and yet knew nothing of it when it was called: it was another agent. */
function refused(calls: readonly ToolCall[]): Finding | undefined {
  const call = calls.at(-1);
  if (call === undefined) return undefined;
  return call.parent === undefined
    ? broken(
        'The agent said that there is no such tool when the model called it.',
        'Ask again.',
        call.lastFrame,
      )
    : broken(
        'A subagent asked for it that does not have it.',
        'Add it to that agent: agents: { name: { tools: [...] } }',
        call.lastFrame,
      );
}

/** The agent has taken a call of it, so it came this far, whatever else the tape tells. */
function certain(finding: Finding): Finding {
  return finding.state === 'done' ? finding : done('The agent knew it when the model called it.');
}
