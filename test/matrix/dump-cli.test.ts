import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { claudeCode, official, tenon } from './support/cells.js';
import { normalise } from './support/normalise.js';
import { runScenario } from './support/run-scenario.js';
import { TABLE } from './table.js';

const only = process.env.CLASSES?.split('|');
for (const [title, scenarios] of Object.entries(TABLE)) {
  if (title === 'subagents' || (only && !only.includes(title))) continue;
  describe(title, () => {
    for (const scenario of scenarios)
      for (const client of [tenon, official])
        it(`${scenario.name} ${client.name}`, async () => {
          const outcome = await runScenario(scenario, { client, agent: claudeCode });
          const folder = `/tmp/mx/cli/${client.name}`;
          mkdirSync(folder, { recursive: true });
          writeFileSync(
            `${folder}/${scenario.name.replace(/\W+/g, '-')}.json`,
            JSON.stringify(normalise(outcome)),
          );
          writeFileSync(
            `${folder}/${scenario.name.replace(/\W+/g, '-')}.stdout.json`,
            JSON.stringify(outcome.stdout, null, 1),
          );
        });
  });
}
