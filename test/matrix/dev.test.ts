import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inMemory, official, tenon, tenonRuntime } from './support/cells.js';
import { commonGround } from './support/common-ground.js';
import { compare } from './support/compare.js';
import { normalise } from './support/normalise.js';
import { runScenario } from './support/run-scenario.js';
import { onRuntime } from './support/runtime-cells.js';
import type { Scenario } from './support/scenario.js';
import { TABLE } from './table.js';

const only = process.env.CLASSES?.split('|');
const pick = process.env.PICK;
for (const [title, scenarios] of Object.entries(TABLE)) {
  if (title === 'subagents' || (only && !only.includes(title))) continue;
  for (const scenario of scenarios as readonly Scenario[]) {
    if (pick && !scenario.name.includes(pick)) continue;
    if (scenario.claudeCodeOnly) continue;
    const slug = scenario.name.replace(/\W+/g, '-');
    it(`${title}: ${scenario.name}`, { timeout: 40_000 }, async () => {
      const read = (client: string) => JSON.parse(readFileSync(`/tmp/mx/cli/${client}/${slug}.json`, 'utf8'));
      const problems = await onRuntime(scenario, { tenon: read('Tenon'), official: read('official SDK') });
      mkdirSync('/tmp/mx/diff2', { recursive: true });
      writeFileSync(`/tmp/mx/diff2/${slug}.txt`, `### ${title}: ${scenario.name}\n${problems.join('\n')}\n`);
      expect(problems.length).toBe(0);
    });
  }
}
