import { firstDifference } from '../first-difference.js';
import { requestsOf, systemOf } from './context.js';
import { costOf } from './cost.js';
import type { Run } from './run.js';
import { timelineOf } from './timeline.js';
import { inputTokens } from './token-usage.js';
import { subjectsOf } from './tool-subject.js';
import { totalsOf } from './totals.js';
import { type Fields, fieldsOf, jsonOf, short, stringOf, textOf, timeText } from './values.js';
import type { RunComparison } from './views.js';

type Difference = RunComparison['differences'][number];

/** Options that change nothing for the agent. */
const IDLE_OPTIONS: ReadonlySet<string> = new Set(['cwd', 'onDebug', 'onFrame', 'record', 'stderr']);
/** A part of the system prompt of the Claude Code CLI that is not for the model. */
const BILLING = /^x-anthropic-billing-header/;
const SHOWN_CHARS = 400;
const ABSENT = '(absent)';

/** What differs between two runs, the cause before its consequences. Ids and times are no differences. */
export function compareRuns(left: Run, right: Run): RunComparison {
  const differences = [
    ...toolDifferences(left, right),
    ...optionDifferences(left, right),
    ...listed('system prompt', systemPromptOf(left), systemPromptOf(right)),
    ...listed('prompt', promptsOf(left), promptsOf(right)),
    ...callDifferences(left, right),
    ...listed('answer', answersOf(left), answersOf(right)),
  ];
  return { differences, figures: figuresOf(left, right) };
}

const row = (where: string, left: string | undefined, right: string | undefined): Difference => ({
  where,
  left: left === undefined ? ABSENT : short(left, SHOWN_CHARS),
  right: right === undefined ? ABSENT : short(right, SHOWN_CHARS),
});

/** What stands at the same place in two lists, where it is not the same. */
function listed(where: string, left: readonly string[], right: readonly string[]): Difference[] {
  const rows: Difference[] = [];
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
    if (left[place] !== right[place]) rows.push(row(`${where} ${place + 1}`, left[place], right[place]));
  }
  return rows;
}

interface ComparedTool {
  readonly description: string | undefined;
  readonly schema: Fields | undefined;
}

/** Changed definitions before tools that only one side has. */
function toolDifferences(left: Run, right: Run): Difference[] {
  const [one, other] = [toolsOf(left), toolsOf(right)];
  const changed: Difference[] = [];
  const missing: Difference[] = [];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const [mine, theirs] = [one.get(name), other.get(name)];
    if (mine === undefined || theirs === undefined) {
      const has = (tool: ComparedTool | undefined) =>
        tool === undefined ? undefined : (tool.description ?? 'there');
      missing.push(row(`tool ${name}`, has(mine), has(theirs)));
    } else changed.push(...changesOf(name, mine, theirs));
  }
  return [...changed, ...missing];
}

function changesOf(name: string, left: ComparedTool, right: ComparedTool): Difference[] {
  const rows: Difference[] = [];
  if (left.description !== right.description) {
    rows.push(row(`tool ${name}: description`, left.description, right.description));
  }
  const schema = firstDifference(left.schema, right.schema);
  if (schema !== undefined) {
    const where = schema.path === '' ? 'input schema' : `input schema, ${schema.path}`;
    rows.push(row(`tool ${name}: ${where}`, jsonOf(schema.left), jsonOf(schema.right)));
  }
  return rows;
}

function toolsOf(run: Run): ReadonlyMap<string, ComparedTool> {
  const defined = subjectsOf(run).filter(
    ({ server, inputSchema }) => server !== undefined || inputSchema !== undefined,
  );
  return new Map(
    defined.map(({ name, description, inputSchema }) => [name, { description, schema: inputSchema }]),
  );
}

function optionDifferences(left: Run, right: Run): Difference[] {
  const given = (run: Run): Fields => ({
    'back end': run.head.backEnd,
    model: stringOf(run.inits.at(0)?.fields.model),
    'permission mode': stringOf(run.inits.at(0)?.fields.permissionMode),
    ...Object.fromEntries(
      Object.entries(run.options).map(([name, value]) => [`options.${name}`, value] as const),
    ),
  });
  const [one, other] = [given(left), given(right)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter(
      (name) => !IDLE_OPTIONS.has(name.replace('options.', '')) && jsonOf(one[name]) !== jsonOf(other[name]),
    )
    .map((name) => row(name, optionText(one[name]), optionText(other[name])));
}

function optionText(value: unknown): string | undefined {
  return value === undefined ? undefined : (stringOf(value) ?? jsonOf(value));
}

/** As the model saw it, or else as the program gave it. */
function systemPromptOf(run: Run): readonly string[] {
  const seen = run.models.all.find(({ request, parent }) => request !== undefined && parent === undefined);
  if (seen?.request !== undefined) {
    return systemOf(seen.request).flatMap((part) => (BILLING.test(part) ? [] : [withoutPlaces(run, part)]));
  }
  const asked = run.controls.all.find(
    ({ subtype, direction }) => subtype === 'initialize' && direction === '>',
  );
  const { systemPrompt, appendSystemPrompt } = fieldsOf(asked?.request);
  return [systemPrompt, appendSystemPrompt].flatMap((part) => (part === undefined ? [] : [jsonOf(part)]));
}

/** Where and in which session it ran is no difference. */
function withoutPlaces(run: Run, text: string): string {
  const { cwd, session_id: session } = fieldsOf(run.inits.at(0)?.fields);
  return [stringOf(cwd), stringOf(session)].reduce<string>(
    (rest, place) => (place === undefined || place === '' ? rest : rest.replaceAll(place, '…')),
    text,
  );
}

function promptsOf(run: Run): readonly string[] {
  return run.turns.prompts.map(({ text }) => text);
}

function callDifferences(left: Run, right: Run): Difference[] {
  const said = (run: Run) => run.tools.all.map(({ name, input }) => `${name} ${jsonOf(input)}`);
  const got = (run: Run) => run.tools.all.map(({ name, content }) => `${name} → ${textOf(content)}`);
  const calls = listed('call', said(left), said(right));
  return [...calls, ...listed('result', got(left), got(right))];
}

function answersOf(run: Run): readonly string[] {
  return run.results.map(({ fields }) => stringOf(fields.result) ?? jsonOf(fields.errors ?? fields.subtype));
}

function figuresOf(left: Run, right: Run): RunComparison['figures'] {
  const [one, other] = [figures(left), figures(right)];
  return one.map(([name, value], index) => ({ name, left: value, right: other[index]?.[1] ?? '' }));
}

function figures(run: Run): [name: string, value: string][] {
  const totals = totalsOf(run);
  const { criticalMs } = timelineOf(run);
  const { reportedUsd } = costOf(run);
  const number = (value: number): string => value.toLocaleString('en-US');
  return [
    ['duration', timeText(totals.durationMs)],
    ['model', timeText(criticalMs.model)],
    ['tools', timeText(criticalMs.tool + criticalMs.subagent)],
    ['people', timeText(criticalMs.person)],
    ['requests', number(requestsOf(run).length)],
    ['calls', number(totals.calls)],
    ['failed calls', number(run.tools.all.filter(({ isError }) => isError).length)],
    ['input tokens', number(inputTokens(totals.usage))],
    ['output tokens', number(totals.usage.output)],
    ['cost', reportedUsd === undefined ? 'unknown' : `$${reportedUsd.toFixed(4)}`],
  ];
}
