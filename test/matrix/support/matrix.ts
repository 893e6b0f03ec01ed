/** Turns a table of scenarios into tests: each cell must meet the scenario's own check, and the cells must agree. */
import { describe, it } from 'vitest';
import { DIFFERENCES } from '../differences.js';
import { TABLE } from '../table.js';
import { claudeCode, official, tenon } from './cells.js';
import { compare } from './compare.js';
import { complaints } from './judge.js';
import { type Comparable, normalise } from './normalise.js';
import { runScenario } from './run-scenario.js';
import { onRuntime } from './runtime-cells.js';
import type { Cell, Scenario } from './scenario.js';

/** Five agents are started, on a machine that may be busy with something else. */
const TIMEOUT_MS = 600_000;

const SUBJECT: Cell = { client: tenon, agent: claudeCode };
const REFERENCE: Cell = { client: official, agent: claudeCode };

/**
 * The tests of one class, to be called by a file of its own, so that two workers share them.
 *
 * One CLI at a time in each worker: with two workers on two cores, more of them took a third longer for the same
 * scenarios, and made every wait in them less predictable.
 */
export function matrix(title: keyof typeof TABLE): void {
  describe(title, () => {
    for (const scenario of playedNow(TABLE[title])) {
      it(`${scenario.name} (${scenario.cites})`, { timeout: TIMEOUT_MS }, async () => {
        const subject = await checked(scenario, SUBJECT);
        const reference = await checked(scenario, REFERENCE);
        const problems = [
          ...complaints(scenario, compare(subject, reference, scenario), DIFFERENCES, 'differences.ts'),
          ...(await onRuntime(scenario, { tenon: subject, official: reference })),
        ];
        if (problems.length > 0) throw new Error(`the cells differ:\n${problems.slice(0, 30).join('\n')}`);
      });
    }
  });
}

/** All of them; every second one in `npm run test:quick`. */
export function playedNow(table: readonly Scenario[]): Scenario[] {
  return table.filter((_, index) => process.env.TENON_TESTS !== 'quick' || index % 2 === 0);
}

async function checked(scenario: Scenario, cell: Cell): Promise<Comparable> {
  const outcome = await runScenario(scenario, cell);
  try {
    scenario.check?.(outcome);
  } catch (error) {
    if (error instanceof Error) error.message = `with ${cell.client.name}: ${error.message}`;
    throw error;
  }
  return normalise(outcome);
}
