/** Ctrl-C in the first `npm start`, while npm installs, and what the next one makes of what is left. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { alive, descendants, waitUntil } from '../support/real-cli.js';

const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url));

it('can be interrupted while npm installs: no process stays, and the next start succeeds', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tenon-interrupted-'));
  await using registry = await slowRegistry(join(root, 'packages'));
  const project = makeProject(join(root, 'project'), registry.url);
  const installed = (name: string) => join(project, 'node_modules', name, 'package.json');

  const first = npmStart(project);
  // Whether npm unpacks the one while it waits for the other is its own business, and differs from run to run.
  await registry.asked('early');
  await registry.asked('late');
  const family = [first.pid, ...descendants(first.pid)];
  expect(family.length).toBeGreaterThan(2);
  // What a terminal does on Ctrl-C: everybody in the foreground gets it.
  process.kill(-first.pid, 'SIGINT');
  expect((await first.ended).code).not.toBe(0);
  await waitUntil(() => !family.some(alive), { what: `the end of ${family}` });
  expect(existsSync(installed('late'))).toBe(false);
  expect(existsSync(join(project, '.cache/setup.lock'))).toBe(false);

  registry.answer();
  const second = await npmStart(project).ended;
  expect(second).toMatchObject({ code: 0 });
  expect(second.output).toContain('it runs');
  expect(existsSync(installed('early')) && existsSync(installed('late'))).toBe(true);
  rmSync(root, { recursive: true, force: true });
});

/** A program with two dependencies that sets itself up as Tenon does. */
function makeProject(folder: string, registry: string): string {
  const dependencies = { early: '1.0.0', late: '1.0.0' };
  const manifest = { name: 'tiny', version: '1.0.0', dependencies };
  const entry = (name: string) => ({ version: '1.0.0', resolved: `${registry}/${name}.tgz` });
  const packages = { '': manifest, 'node_modules/early': entry('early'), 'node_modules/late': entry('late') };
  const scripts = {
    prestart: `node ${JSON.stringify(script)} --root .`,
    start: `node -e "console.log('it runs')"`,
  };
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  write('package.json', { ...manifest, private: true, scripts });
  write('package-lock.json', { ...manifest, lockfileVersion: 3, requires: true, packages });
  // A cache of its own: nothing may come from an earlier run.
  writeFileSync(join(folder, '.npmrc'), `cache=${join(folder, 'npm-cache')}\nnoproxy=127.0.0.1\n`);
  return folder;
}

/** Serves `early` at once, and `late` only when it is told to. */
async function slowRegistry(folder: string): Promise<
  AsyncDisposable & {
    url: string;
    asked(name: string): Promise<void>;
    answer(): void;
  }
> {
  const asked: string[] = [];
  let isAnswering = false;
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1).replace('.tgz', '');
    asked.push(name);
    if (name === 'early' || isAnswering) response.end(pack(folder, name));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: (name) => waitUntil(() => asked.includes(name), { what: `a request for ${name}` }),
    answer: () => {
      isAnswering = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pack(folder: string, name: string): Buffer {
  mkdirSync(join(folder, name, 'package'), { recursive: true });
  writeFileSync(join(folder, name, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }));
  const file = join(folder, `${name}.tgz`);
  execFileSync('tar', ['-czf', file, '-C', join(folder, name), 'package']);
  return readFileSync(file);
}

function npmStart(cwd: string): { pid: number; ended: Promise<{ code: number | null; output: string }> } {
  const child = spawn('npm', ['start'], {
    cwd,
    detached: true,
    env: withoutNpmSettings(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return { pid: child.pid ?? 0, ended };
}

/** The npm that runs the tests hands its settings down by variables, and they count more than the project's file. */
function withoutNpmSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}
