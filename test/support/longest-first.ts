/** The order of test files: what takes longest begins first, so that nobody waits for one file at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. Vitest itself goes by the size of a file, and those of the matrix have three lines. */
const LONGEST: readonly RegExp[] = [
  /test\/matrix\/(external-servers|hooks|permissions|tool-calls|tool-results)\.test/,
  /test\/matrix\//,
  /test\/packaging\/(commands|newcomer|setup|lock-files)\.test/,
  /examples\/shared\//,
  /test\/runtime\/(modes|hook-outputs|older-sdks)\.test/,
  /test\/conformance\//,
  /test\/commands\/(run|run-terminal|new)\.test/,
  /test\/sessions\/(stores|conversations)\.test/,
  /test\/client\/(shared-servers-real-cli|stopping-host|hermetic|mcp-files|mcp-controls)\.test/,
  /examples\//,
  /test\/testing\/messages-api-cli\.test/,
  /test\/packaging\//,
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((left, right) => rank(left.moduleId) - rank(right.moduleId));
  }
}

function rank(path: string): number {
  const index = LONGEST.findIndex((pattern) => pattern.test(path));
  return index === -1 ? LONGEST.length : index;
}
