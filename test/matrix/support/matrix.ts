/** Turns a table of scenarios into tests: each cell must meet the scenario's own check, and the cells must agree. */
import { describe, it } from 'vitest';
import { DIFFERENCES } from '../differences.js';
import { TABLE } from '../table.js';
import { claudeCode, official, tenon } from './cells.js';
import { compare, type Finding } from './compare.js';
import { type Comparable, normalise } from './normalise.js';
import { runScenario } from './run-scenario.js';
import type { Cell, Scenario } from './scenario.js';

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
    for (const scenario of TABLE[title]) {
      it(`${scenario.name} (${scenario.cites})`, async () => {
        const subject = await checked(scenario, SUBJECT);
        const reference = await checked(scenario, REFERENCE);
        judge(scenario, compare(subject, reference, scenario));
      });
    }
  });
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

function judge(scenario: Scenario, findings: readonly Finding[]): void {
  const here = DIFFERENCES.filter(({ seenIn, everywhere }) => everywhere || seenIn.includes(scenario.name));
  const explain = (finding: Finding) =>
    here.filter(({ where, matches }) => where.includes(finding.where) && matches(finding));
  const seen = new Set(findings.flatMap(explain));
  const unknown = findings.filter((finding) => explain(finding).length === 0);
  const missing = here.filter((entry) => entry.seenIn.includes(scenario.name) && !seen.has(entry));
  const complaints = [
    ...unknown.map((finding) => `not in differences.ts: ${show(finding)}`),
    ...missing.map(({ id }) => `in differences.ts as "${id}", but not seen here`),
  ];
  if (complaints.length === 0) return;
  throw new Error(
    `${SUBJECT.client.name} and ${REFERENCE.client.name} differ:\n${complaints.slice(0, 30).join('\n')}`,
  );
}

function show({ where, item, path, subject, reference }: Finding): string {
  const [mine, theirs] = [subject, reference].map(
    (value) => JSON.stringify(value)?.slice(0, 400) ?? 'nothing',
  );
  return `${where}, ${item}${path === '' ? '' : `, ${path}`}\n    Tenon:    ${mine}\n    official: ${theirs}`;
}
