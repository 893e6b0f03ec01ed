/** The cells of Tenon's runtime, each held against the CLI with the same client. */
import { type CellName, RUNTIME_DIFFERENCES } from '../runtime-differences.js';
import { inMemory, official, tenon, tenonRuntime } from './cells.js';
import { commonGround } from './common-ground.js';
import { compare } from './compare.js';
import { complaints } from './judge.js';
import { type Comparable, normalise } from './normalise.js';
import { runScenario } from './run-scenario.js';
import type { Cell, Outcome, Scenario } from './scenario.js';

const CELLS: Readonly<Record<CellName, Cell>> = {
  'Tenon × tenon-runtime': { client: tenon, agent: tenonRuntime },
  'official SDK × tenon-runtime': { client: official, agent: tenonRuntime },
  'Tenon × embedded': { client: tenon, agent: inMemory },
};

/** What each client saw of the CLI. */
interface OnClaudeCode {
  readonly tenon: Comparable;
  readonly official: Comparable;
}

/** Runs a scenario with the runtime, all cells at once: they are waiting for each other's processes most of the time. */
export async function onRuntime(scenario: Scenario, seen: OnClaudeCode): Promise<string[]> {
  if (scenario.claudeCodeOnly !== undefined) return [];
  const names = Object.keys(CELLS) as CellName[];
  const asked = names.filter((name) => !(scenario.processOnly && CELLS[name].agent.embed));
  const found = await Promise.all(asked.map((name) => inCell(scenario, name, seen)));
  return found.flat();
}

async function inCell(scenario: Scenario, name: CellName, seen: OnClaudeCode): Promise<string[]> {
  const cell = CELLS[name];
  const outcome = await runScenario(scenario, cell);
  const here = RUNTIME_DIFFERENCES.filter(({ cells }) => cells === undefined || cells.includes(name));
  const reference = cell.client === official ? seen.official : seen.tenon;
  const findings = compare(commonGround(normalise(outcome)), commonGround(reference), scenario);
  const isContradicted = here.some((entry) => entry.contradictsCheck && entry.seenIn.includes(scenario.name));
  return [
    ...failedCheck(scenario, outcome, isContradicted),
    ...complaints(scenario, findings, here, 'runtime-differences.ts'),
  ].map((complaint) => `${name}: ${complaint}`);
}

function failedCheck(scenario: Scenario, outcome: Outcome, isContradicted: boolean): string[] {
  try {
    scenario.check?.(outcome);
  } catch (error) {
    return isContradicted ? [] : [error instanceof Error ? error.message : String(error)];
  }
  return isContradicted ? ['a difference is said to contradict the check of the scenario, which passes'] : [];
}
