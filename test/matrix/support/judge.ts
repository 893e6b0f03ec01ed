/** Holds what was found to differ against a list of differences that may be there. */
import type { Finding } from './compare.js';
import type { Place, Scenario } from './scenario.js';

export interface Difference {
  readonly id: string;
  readonly where: readonly Place[];
  /** The scenarios that must show it. */
  readonly seenIn: readonly string[];
  /** Others may show it as well. */
  readonly everywhere?: true;
  matches(finding: Finding): boolean;
  readonly reason: string;
}

/** What is wrong with the findings of a scenario: not on the list, or on the list and not found. */
export function complaints(
  scenario: Scenario,
  findings: readonly Finding[],
  differences: readonly (Difference & { readonly sometimes?: true })[],
  list: string,
): string[] {
  const here = differences.filter(({ seenIn, everywhere }) => everywhere || seenIn.includes(scenario.name));
  const explain = (finding: Finding) =>
    here.filter(({ where, matches }) => where.includes(finding.where) && matches(finding));
  const seen = new Set(findings.flatMap(explain));
  const unknown = findings.filter((finding) => explain(finding).length === 0);
  const missing = here.filter(
    (entry) => !entry.sometimes && entry.seenIn.includes(scenario.name) && !seen.has(entry),
  );
  return [
    ...unknown.map((finding) => `not in ${list}: ${show(finding)}`),
    ...missing.map(({ id }) => `in ${list} as "${id}", but not seen here`),
  ];
}

function show({ where, item, path, subject, reference }: Finding): string {
  const [mine, theirs] = [subject, reference].map(
    (value) => JSON.stringify(value)?.slice(0, 400) ?? 'nothing',
  );
  return `${where}, ${item}${path === '' ? '' : `, ${path}`}\n    Tenon:     ${mine}\n    reference: ${theirs}`;
}
