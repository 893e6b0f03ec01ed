// @ts-check
/**
 * One measurement in a process of its own, so that none warms another one's code:
 * `node [--expose-gc] host.mjs <subject> <measurement> <parameters>`, numbers on stdout.
 */
const [subject = '', measurement = '', parameters = '{}'] = process.argv.slice(2);

/** The measurements of a host and its peers. @type {Record<string, (subject: string, parameters: any) => Promise<object>>} */
const HOSTS = {
  hostTurns: async (...given) => (await import('./measure/host/turns.mjs')).hostTurns(...given),
  hostOverhead: async (...given) => (await import('./measure/host/overhead.mjs')).hostOverhead(...given),
  hostIdle: async (_, given) => (await import('./measure/host/idle.mjs')).hostIdle(given),
  hostWrites: async (_, given) => (await import('./measure/host/writes.mjs')).hostWrites(given),
  hostApproval: async (_, given) => (await import('./measure/host/waits.mjs')).hostApproval(given),
  hostReconnect: async (_, given) => (await import('./measure/host/waits.mjs')).hostReconnect(given),
};

async function load() {
  const entry = new URL(`./clients/${subject}.mjs`, import.meta.url).href;
  const memory = process.memoryUsage().rss;
  const started = performance.now();
  const client = await import(entry);
  const took = performance.now() - started;
  return { client, took, memory: (process.memoryUsage().rss - memory) / 1024 / 1024 };
}

async function measure() {
  if (measurement === 'load') {
    const { took, memory } = await load();
    return { took, memory };
  }
  const given = JSON.parse(parameters);
  if (measurement === 'modelTurns') {
    const { modelTurns } = await import('./measure/models.mjs');
    return modelTurns(subject, given);
  }
  if (measurement in HOSTS) return HOSTS[measurement]?.(subject, given);
  if (subject === 'runtime') {
    const runtime = await import('./measure/runtime.mjs');
    return runtime[/** @type {'turns'} */ (measurement)](given);
  }
  if (measurement === 'realCli') {
    const { realCli } = await import('./measure/real-cli.mjs');
    return realCli(/** @type {'tenon'} */ (subject));
  }
  if (measurement === 'fileWork') {
    const { fileWork } = await import('./measure/file-work.mjs');
    return fileWork(/** @type {'claude'} */ (subject));
  }
  if (measurement === 'grep') {
    const { grep } = await import('./measure/grep.mjs');
    return grep(/** @type {'floor'} */ (subject));
  }
  if (measurement === 'transport') {
    const { transport } = await import('./measure/transports.mjs');
    return transport(subject);
  }
  // Whatever the measurements need themselves is loaded first.
  const client = await import('./measure/client.mjs');
  return client[/** @type {'calls'} */ (measurement)]((await load()).client, given);
}

const numbers = await measure();
process.stdout.write(`${JSON.stringify(numbers)}\n`);
// What a client leaves running is not waited for; idle emulators end with their input.
process.exit(0);
