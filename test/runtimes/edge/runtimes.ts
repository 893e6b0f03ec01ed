/** Starts a bundled worker under the runtimes that are not Node, each by its own program, on a free port of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const installed = (path: string): string =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

export interface RunningWorker extends AsyncDisposable {
  readonly url: string;
}

/** `worker` is the bundle; `folder` may be written to. */
type Start = (folder: string, worker: string) => Promise<RunningWorker>;

const workerdConfig = (flags: readonly string[]) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
      compatibilityDate = "2026-11-01",
      compatibilityFlags = ${JSON.stringify(flags)},
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

async function startWorkerd(worker: string, flags: readonly string[]): Promise<RunningWorker> {
  const config = join(dirname(worker), 'config.capnp');
  await writeFile(config, workerdConfig(flags));
  const { default: program } = createRequire(import.meta.url)('workerd') as { default: string };
  const child = spawn(program, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  return running(child, child.stdio[3] as NodeJS.ReadableStream, (line) => {
    const { event, port } = JSON.parse(line);
    return event === 'listen' ? `http://127.0.0.1:${port}` : undefined;
  });
}

/** The packages of vendors ask for the environment; Tenon itself does without it. */
export async function startDeno(
  folder: string,
  worker: string,
  allowed: readonly string[] = ['net', 'env'],
): Promise<RunningWorker> {
  const permissions = allowed.map((name) => `--allow-${name}`);
  const flags = ['--no-config', '--no-prompt', ...permissions, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(installed('deno/deno'), ['serve', ...flags, worker], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(folder, 'deno') },
  });
  return running(child, child.stderr, (line) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]);
}

async function startBun(folder: string, worker: string): Promise<RunningWorker> {
  const program = join(folder, 'bun.mjs');
  await writeFile(
    program,
    `import worker from ${JSON.stringify(worker)};
     console.log(String(Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: worker.fetch }).url));`,
  );
  const child = spawn(installed('bun/bin/bun'), [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  return running(child, child.stdout, (line) => line.replace(/\/$/, ''));
}

/** Each condition of package.json is used by one of them; the files behind all of them are the same. */
export const EDGE_RUNTIMES: readonly [name: string, how: { start: Start; condition: string }][] = [
  // There is neither `process` nor `Buffer`; and in both of them no code may be made from text.
  ['workerd', { start: (_, worker) => startWorkerd(worker, []), condition: 'workerd' }],
  [
    'workerd with what it has of Node',
    { start: (_, worker) => startWorkerd(worker, ['nodejs_compat']), condition: 'workerd' },
  ],
  ['Deno', { start: (folder, worker) => startDeno(folder, worker), condition: 'browser' }],
  ['Bun', { start: startBun, condition: 'edge-light' }],
];

/** Reads what the program says until it says where it listens. */
async function running(
  child: ChildProcess,
  output: NodeJS.ReadableStream,
  addressIn: (line: string) => string | undefined,
): Promise<RunningWorker> {
  const said: string[] = [];
  child.stderr?.on('data', (chunk) => said.push(String(chunk)));
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  for await (const line of createInterface({ input: output })) {
    const url = addressIn(line);
    if (url === undefined) continue;
    output.resume();
    return { url, [Symbol.asyncDispose]: stop };
  }
  await stop();
  throw new Error(`The runtime ended before it listened:\n${said.join('')}`);
}
