// @ts-check
/** Everything that is measured, and the goals. */

/**
 * @typedef {object} Metric
 * @property {string} key in the numbers of the measurement
 * @property {string} title
 * @property {'ms' | 'µs' | 'MB' | 'KB' | '/s' | 'writes'} unit
 * @property {number} [atMost] times the floor, or the case's `base`
 * @property {number} [atLeast] times the floor
 * @property {number} [limit] the goal as a number in `unit`
 * @property {number} [least] the goal as a number in `unit` that is to be reached
 * @property {number} [timesBare] at most so many times as much as queries without a host
 * @property {number} [timesUnrecorded] at most so many times as much as without a recording
 * @property {number} [timesLess] how many times less than the Claude Code CLI
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} measurement
 * @property {readonly string[]} subjects
 * @property {string} [base] the subject that the others are compared with
 * @property {object} [parameters]
 * @property {readonly Metric[]} metrics
 */

const CLIENTS = ['official', 'floor', 'tenon'];
/** The first is what the others are compared with. */
const ADAPTERS = ['anthropic', 'ai-sdk-anthropic', 'ai-sdk-openai', 'ai-sdk-compatible'];
const TRANSPORTS = ['direct', 'memory', 'in-process', 'embedded', 'stdio', 'sse', 'http'];
const MB = 1024 * 1024;

/**
 * @param {string} size
 * @param {number} bytes
 * @param {number} number
 * @param {readonly Metric[]} metrics
 * @returns {Case}
 */
function roundTrip(size, bytes, number, metrics) {
  const parameters = { number, inFlight: 1, bytes };
  return {
    name: `call-${size.replace(' ', '')}`,
    measurement: 'calls',
    subjects: CLIENTS,
    parameters,
    metrics,
  };
}

/** @param {string} size @param {number} [atMost] @returns {Metric} */
const cpu = (size, atMost) => ({
  key: 'cpu',
  title: `call with ${size}: CPU of the host`,
  unit: 'µs',
  ...(atMost === undefined ? {} : { atMost }),
});

/** @param {string} size @param {number} [atMost] @returns {Metric} */
const half = (size, atMost) => ({
  key: 'p50',
  title: `call with ${size}: round trip, p50`,
  unit: 'µs',
  ...(atMost === undefined ? {} : { atMost }),
});

/** @param {number} inFlight @param {number} [atLeast] @returns {Case} */
const inFlight = (inFlight, atLeast) => ({
  name: `in-flight-${inFlight}`,
  measurement: 'calls',
  subjects: CLIENTS,
  parameters: { number: 20_000, inFlight, bytes: 100 },
  metrics: [
    {
      key: 'perSecond',
      title: `${inFlight} calls in flight`,
      unit: '/s',
      ...(atLeast === undefined ? {} : { atLeast }),
    },
  ],
});

/** @param {string} what @param {string} measurement @param {object} parameters @param {Metric} metric @returns {Case} */
const recorded = (what, measurement, parameters, metric) => {
  return {
    name: `record-${what}`,
    measurement,
    subjects: ['tenon', 'recorded'],
    parameters,
    metrics: [metric],
  };
};

/** @param {number} number @param {number} [limit] @returns {Case} */
const idle = (number, limit) => ({
  name: `idle-${number}`,
  measurement: 'idle',
  subjects: CLIENTS,
  parameters: { number },
  metrics: [
    {
      key: 'heap',
      title: `heap of an idle query, ${number} open`,
      unit: 'KB',
      ...(limit === undefined ? {} : { limit }),
    },
  ],
});

/** @param {number} megabytes @returns {Case} */
const line = (megabytes) => ({
  name: `line-${megabytes}MB`,
  measurement: 'stream',
  subjects: CLIENTS,
  parameters: { number: 1, bytes: megabytes * MB },
  metrics: [{ key: 'took', title: `one line of ${megabytes} MB`, unit: 'ms', atMost: 1.2 }],
});

/** @param {string} name @param {{ deltas: number, number: number }} parameters @returns {Case} */
const adapters = (name, parameters) => ({
  name,
  measurement: 'modelTurns',
  subjects: ADAPTERS,
  base: 'anthropic',
  parameters,
  metrics: [
    { key: 'turn', title: answersOf(parameters.deltas), unit: 'µs', atMost: 1.1 },
    { key: 'alone', title: 'the package alone', unit: 'µs' },
    { key: 'ours', title: 'Tenon alone', unit: 'µs', atMost: 1.1 },
  ],
});

/** @param {number} deltas */
const answersOf = (deltas) => (deltas === 1 ? 'short answers' : `answers of ${deltas} deltas`);

/** @type {readonly Case[]} */
export const CASES = [
  {
    name: 'import',
    measurement: 'load',
    subjects: CLIENTS,
    metrics: [
      { key: 'took', title: 'import of the root entry', unit: 'ms', limit: 25 },
      { key: 'memory', title: 'import: resident memory', unit: 'MB', limit: 5 },
    ],
  },
  {
    name: 'cold',
    measurement: 'cold',
    subjects: CLIENTS,
    metrics: [
      { key: 'start', title: '`query()` to the first byte at the CLI, cold', unit: 'ms', atMost: 1.5 },
    ],
  },
  {
    name: 'warm',
    measurement: 'warm',
    subjects: CLIENTS,
    metrics: [
      { key: 'start', title: '`query()` to the first byte at the CLI, warm', unit: 'ms', atMost: 1.5 },
    ],
  },
  {
    name: 'first-call',
    measurement: 'calls',
    subjects: CLIENTS,
    parameters: { number: 1, inFlight: 1, bytes: 100 },
    metrics: [{ key: 'firstCall', title: 'first tool call of a query', unit: 'ms', atMost: 2 }],
  },
  roundTrip('100 B', 100, 20_000, [
    half('100 B', 1.5),
    { key: 'p99', title: 'call with 100 B: round trip, p99', unit: 'µs', atMost: 1.5 },
    cpu('100 B', 1.5),
  ]),
  roundTrip('10 KB', 10 * 1024, 2000, [half('10 KB'), cpu('10 KB')]),
  roundTrip('1 MB', MB, 40, [half('1 MB'), cpu('1 MB', 1.2)]),
  roundTrip('10 MB', 10 * MB, 5, [half('10 MB'), cpu('10 MB')]),
  recorded(
    '100B',
    'calls',
    { number: 20_000, inFlight: 1, bytes: 100 },
    { ...cpu('100 B'), timesUnrecorded: 1.05 },
  ),
  recorded('embedded', 'embeddedCalls', { number: 100 }, cpu('100 B, embedded runtime')),
  inFlight(8),
  inFlight(64, 0.6),
  inFlight(512),
  {
    name: 'stream-small',
    measurement: 'stream',
    subjects: CLIENTS,
    parameters: { number: 100_000, bytes: 100 },
    metrics: [{ key: 'perSecond', title: 'messages of 100 B streamed', unit: '/s', atLeast: 0.8 }],
  },
  {
    name: 'stream-large',
    measurement: 'stream',
    subjects: CLIENTS,
    parameters: { number: 100, bytes: MB },
    metrics: [{ key: 'perSecond', title: 'messages of 1 MB streamed', unit: '/s' }],
  },
  line(1),
  line(10),
  line(100),
  idle(1),
  idle(50),
  idle(200, 20),
  {
    name: 'sequence',
    measurement: 'sequence',
    subjects: CLIENTS,
    parameters: { number: 500 },
    metrics: [
      { key: 'each', title: 'one query after the other, each', unit: 'ms' },
      { key: 'left', title: 'heap that each of 500 queries leaves behind', unit: 'KB' },
    ],
  },
  {
    name: 'shutdown',
    measurement: 'shutdown',
    subjects: CLIENTS,
    metrics: [{ key: 'end', title: 'result to the end of the loop', unit: 'ms', atMost: 1.5 }],
  },
  {
    name: 'transports',
    measurement: 'transport',
    subjects: TRANSPORTS,
    metrics: [{ key: 'p50', title: 'one tool call, p50', unit: 'µs' }],
  },
  {
    name: 'real-cli',
    measurement: 'realCli',
    subjects: ['official', 'tenon', 'pool'],
    metrics: [
      { key: 'first', title: 'real CLI: `query()` to the first message', unit: 'ms' },
      { key: 'memory', title: 'real CLI: resident memory of its process after a turn', unit: 'MB' },
    ],
  },
  {
    name: 'file-work',
    measurement: 'fileWork',
    subjects: ['claude', 'tenon-runtime'],
    metrics: [
      { key: 'start', title: 'agent as a process: `query()` to the first message', unit: 'ms' },
      {
        key: 'memory',
        title: '20 file operations: most resident memory of the process',
        unit: 'MB',
        timesLess: 5,
      },
      { key: 'cpu', title: '20 file operations: CPU of the process', unit: 'ms', timesLess: 3 },
      { key: 'took', title: '20 file operations: from `query()` to the end', unit: 'ms' },
    ],
  },
  {
    name: 'grep',
    measurement: 'grep',
    // The floor is `rg` itself.
    subjects: ['floor', 'tenon'],
    metrics: [
      { key: 'files', title: 'search in 20,000 files: which files match', unit: 'ms', atMost: 1.2 },
      { key: 'lines', title: 'search in 20,000 files: the lines that match', unit: 'ms', atMost: 1.2 },
    ],
  },
  {
    name: 'runtime-start',
    measurement: 'firstRequest',
    subjects: ['runtime'],
    metrics: [
      { key: 'cold', title: '`query()` to the first model request, cold', unit: 'ms', limit: 25 },
      { key: 'warm', title: '`query()` to the first model request, warm', unit: 'ms' },
    ],
  },
  ...[1, 100, 1000].map((number) => ({
    name: `runtime-idle-${number}`,
    measurement: 'conversations',
    subjects: ['runtime'],
    parameters: { number },
    metrics: [
      {
        key: 'memory',
        title: `resident memory of an idle conversation, ${number} open`,
        unit: /** @type {'KB'} */ ('KB'),
        ...(number === 1 ? {} : { limit: 512 }),
      },
      {
        key: 'heap',
        title: `heap of an idle conversation, ${number} open`,
        unit: /** @type {'KB'} */ ('KB'),
      },
    ],
  })),
  {
    name: 'runtime-turns',
    measurement: 'turns',
    subjects: ['runtime'],
    parameters: { number: 2000 },
    metrics: [
      { key: 'perSecond', title: 'turns with a tool call, one conversation after the other', unit: '/s' },
    ],
  },
  {
    name: 'runtime-history',
    measurement: 'history',
    subjects: ['runtime'],
    parameters: { number: 520 },
    metrics: [
      { key: 'early', title: 'a turn with 80 messages before it', unit: 'µs' },
      { key: 'late', title: 'a turn with 2,000 messages before it', unit: 'µs' },
    ],
  },
  {
    name: 'host-turns',
    measurement: 'hostTurns',
    subjects: ['langgraph', 'mastra', 'host'],
    parameters: { conversations: 64, number: 2000 },
    metrics: [
      { key: 'perSecond', title: 'turns on PostgreSQL, 64 conversations at once', unit: '/s', least: 250 },
      { key: 'cpu', title: 'a turn on PostgreSQL: CPU of the program', unit: 'ms' },
      { key: 'databaseCpu', title: 'a turn on PostgreSQL: CPU of the server', unit: 'ms' },
    ],
  },
  {
    name: 'host-overhead',
    measurement: 'hostOverhead',
    subjects: ['bare', 'resumed', 'host'],
    parameters: { conversations: 64, number: 6000 },
    metrics: [
      {
        key: 'cpu',
        title: 'a turn with everything in memory: CPU of the program',
        unit: 'ms',
        timesBare: 1.1,
      },
      { key: 'perSecond', title: 'turns with everything in memory', unit: '/s' },
    ],
  },
  ...[false, true].map((isEvicted) => ({
    name: isEvicted ? 'host-evicted' : 'host-idle',
    measurement: 'hostIdle',
    subjects: ['host'],
    parameters: { number: 10_000, isEvicted },
    metrics: [
      {
        key: 'resident',
        title: `10,000 conversations${isEvicted ? ', all evicted' : ' in memory, idle'}: resident memory of the process`,
        unit: /** @type {'MB'} */ ('MB'),
        ...(isEvicted ? {} : { limit: 600 }),
      },
      {
        key: 'heap',
        title: `heap of a conversation that is ${isEvicted ? 'evicted' : 'in memory, idle'}`,
        unit: /** @type {'KB'} */ ('KB'),
      },
    ],
  })),
  {
    name: 'host-writes',
    measurement: 'hostWrites',
    subjects: ['host'],
    parameters: { number: 40 },
    metrics: [
      { key: 'perCall', title: 'durable writes for one more call of a tool', unit: 'writes', limit: 2 },
      {
        key: 'perTurn',
        title: 'transactions of a turn with one call, from the prompt on, notifications included',
        unit: 'writes',
      },
    ],
  },
  {
    name: 'host-approval',
    measurement: 'hostApproval',
    subjects: ['host'],
    parameters: { number: 50 },
    metrics: [
      { key: 'held', title: 'approval answered to the handler, the turn in memory', unit: 'ms', limit: 200 },
      { key: 'away', title: 'approval answered to the handler, the turn put away', unit: 'ms', limit: 200 },
      { key: 'most', title: 'the longest of both', unit: 'ms', limit: 200 },
    ],
  },
  {
    name: 'host-reconnect',
    measurement: 'hostReconnect',
    subjects: ['host'],
    parameters: { events: 2000, number: 50 },
    metrics: [
      {
        key: 'p50',
        title: 'reconnect over HTTP until 100 missed events are there, p50',
        unit: 'ms',
        limit: 50,
      },
      { key: 'most', title: 'the longest of them', unit: 'ms' },
    ],
  },
  adapters('runtime-models', { deltas: 1, number: 2200 }),
  adapters('runtime-models-long', { deltas: 100, number: 1100 }),
];
