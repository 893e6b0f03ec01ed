/** The conformance suite of the Model Context Protocol against the runtime's MCP hub as a client: all its client scenarios. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { conformance, expectedFailuresOf } from './support/suite.js';

const program = fileURLToPath(new URL('client.mjs', import.meta.url));

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  description: string;
  details?: { tooEarly?: boolean };
}

/** How late a timer is, is the machine's business; to be early would be ours. */
const isLateness = ({ id, details }: Check): boolean =>
  id === 'client-sse-retry-timing' && details?.tooEarly !== true;

/** The reports by scenario. */
async function reports(folder: string): Promise<Map<string, Check[]>> {
  const files = await readdir(folder, { recursive: true });
  const found = files.filter((file) => file.endsWith('checks.json'));
  const entries = await Promise.all(
    found.map(async (file) => {
      const scenario = file.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/, '');
      return [scenario, JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[]] as const;
    }),
  );
  return new Map(entries);
}

it('passes every client scenario but those that are explained (issue 5, R25)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-conformance-'));
  try {
    const target = ['--command', `${process.execPath} ${program}`, '--suite', 'all', '--timeout', '120000'];
    const { output } = await conformance('client', ...target, '--output-dir', folder);
    const scenarios = await reports(folder);
    expect([...scenarios.keys()], output).toHaveLength(26);
    const failed = [...scenarios].flatMap(([scenario, checks]) => {
      const wrong = checks.filter(
        (check) => ['FAILURE', 'WARNING'].includes(check.status) && !isLateness(check),
      );
      const isEmpty = !checks.some(({ status }) => status === 'SUCCESS');
      return wrong.length > 0 || isEmpty ? [{ scenario, wrong }] : [];
    });
    expect(
      failed.map(({ scenario }) => scenario),
      JSON.stringify(failed, null, 1),
    ).toEqual(await expectedFailuresOf('client'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
