/**
 * The conformance suite of the Model Context Protocol against a Tenon server over HTTP: all server scenarios of its newest
 * stable revision of the protocol. With a list of expected failures the suite takes warnings for failures, too.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { proxyMcpServer, serveHttp } from '../../src/index.js';
import { conformanceServer } from './server.js';
import { conformance, expectedFailures } from './support/suite.js';

const REVISION = '2025-11-25';

/** Runs all scenarios, and holds the server at `url` to what the list of expected failures allows. */
async function expectConformance(url: string): Promise<void> {
  const results = await mkdtemp(join(tmpdir(), 'tenon-conformance-'));
  try {
    const target = ['--url', url, '--suite', 'all', '--spec-version', REVISION];
    const expected = ['--expected-failures', expectedFailures];
    const { code, output } = await conformance('server', ...target, ...expected, '--output-dir', results);
    expect({ code }, output).toEqual({ code: 0 });

    // Not only an exit code: all scenarios ran, and each but the excused one has found something to be right.
    const reports = await readdir(results);
    const empty = await Promise.all(
      reports.map(async (report) => {
        const checks = JSON.parse(await readFile(join(results, report, 'checks.json'), 'utf8'));
        return checks.some(({ status }: { status: string }) => status === 'SUCCESS') ? [] : [report];
      }),
    );
    expect(reports).toHaveLength(32);
    expect(empty.flat()).toEqual([expect.stringContaining('server-sse-polling')]);
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

it(`passes every server scenario of revision ${REVISION} (issue 3, R2)`, async () => {
  await using serving = await serveHttp(conformanceServer());
  await expectConformance(serving.url);
});

it('passes them through a proxy as well', async () => {
  await using serving = await serveHttp(conformanceServer());
  await using before = await serveHttp(proxyMcpServer({ type: 'http', url: serving.url }));
  await expectConformance(before.url);
});
