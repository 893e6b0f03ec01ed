/** What becomes of each command that the documentation names. A command that is not listed here fails the test. */

/** Where a command is run, and a part of what it then prints. */
export interface Runs {
  in: 'checkout' | 'project';
  prints: RegExp;
}

export interface LeftOut {
  why: string;
}

const needsModel = { why: 'needs a key and a real model' };
const isNpmTest = { why: 'is a part of npm test, or npm test itself' };
const takesLong = { why: 'takes minutes, and fetches what it needs' };
const needsServers = { why: 'names servers on the network' };
const recordedRun = { why: 'needs a recording; run by test/commands/replay.test.ts' };
const inspected = { why: 'run by test/commands/inspect.test.ts and test/inspector/live.test.ts' };
const inTerminal = { why: 'needs a terminal; run by test/commands/conversation.test.ts' };
const newcomer = { why: 'run by test/packaging/newcomer.test.ts' };

export const COMMANDS: Readonly<Record<string, Runs | LeftOut>> = {
  'npm start': { in: 'checkout', prints: /\d/ },
  'npm test': isNpmTest,
  'npm run test:quick': isNpmTest,
  'npm run check': isNpmTest,
  'npx vitest run test/client': isNpmTest,
  'npm run format': { why: 'changes the checkout; npm run check looks at the same' },
  'npm run docs:api': { why: 'changes the checkout; test/packaging/api-reference.test.ts runs its script' },
  'npm run docs:pictures': { why: 'changes the checkout, and needs a browser' },
  'npm run docs:requirements': {
    why: 'changes the checkout; test/packaging/requirements.test.ts is its script',
  },
  'node scripts/complete-lock.mjs': {
    why: 'changes a lock file; test/packaging/lock-files.test.ts looks at it',
  },
  'npm run test:versions': takesLong,
  'TENON_CLI_VERSIONS=2.0.50,2.1.197 npm run test:versions': takesLong,
  "npm run test:versions -- -t 'interrupt'": takesLong,
  'npm run test:runtimes': takesLong,
  'npm run bench': takesLong,
  'npm run bench -- --only call': takesLong,
  'npm run bench -- --only host': takesLong,
  'npm run bench -- --help': { in: 'checkout', prints: /--rounds <n>/ },
  'npm run example': { in: 'checkout', prints: /ticket-board/ },
  'npm run example calculator': { in: 'checkout', prints: /\d/ },
  'npm run example calculator -- --cli': { why: 'run by examples/calculator/calculator.test.ts' },

  'npm run example session-stores': { why: 'run by the test of the example' },
  'npm install @anthropic-ai/claude-agent-sdk@npm:tenon': {
    why: 'the package is not on npm; test/adoption lays out the same installation',
  },
  'npm install tenon': { why: 'the package is not on npm' },
  'npm install tenon @electric-sql/pglite': {
    why: 'the package is not on npm; what follows it is run by test/host/newcomer.test.ts',
  },
  'npx tenon stand-in ./claude-agent-sdk': { in: 'project', prints: /npm pack \.\/claude-agent-sdk/ },
  'npm pack ./claude-agent-sdk': { why: 'run by test/adoption/stand-in.test.ts' },
  'npm install ./anthropic-ai-claude-agent-sdk-0.3.325+tenon.tgz': {
    why: 'run by test/adoption/stand-in.test.ts',
  },
  'npm install --save-optional @anthropic-ai/claude-agent-sdk-linux-x64@0.3.325': {
    why: 'fetches 400 MB; the tests have it in test/reference',
  },

  'npm pack --pack-destination ..': newcomer,
  'mkdir ../shop && cd ../shop': newcomer,
  'npm init -y': newcomer,
  'npm install ../tenon-0.1.0.tgz zod': newcomer,
  'node shop.mjs': newcomer,
  'node try.mjs': newcomer,
  'npx tenon run "Do we have hammers?" --tools ./tools.mjs': newcomer,

  'npx tenon --help': { in: 'project', prints: /tenon doctor/ },
  'npx tenon run --help': { in: 'project', prints: /--tools/ },
  'npx tenon new shop && cd shop && npm install && npm test': {
    why: 'the package is not on npm; test/commands/new.test.ts follows it with the packed one',
  },
  'npx tenon new shop --worker && cd shop && npm install && npm test': {
    why: 'fetches workerd, 150 MB; npm run test:runtimes follows it, and test/commands/new.test.ts without workerd',
  },
  'npx tenon run "Do we have hammers?" --tools ./tools.js': {
    in: 'project',
    prints: /That is what I found\./,
  },
  'npx tenon run "Which files are here?" --server "files=npx -y @modelcontextprotocol/server-filesystem ." --yes':
    {
      why: 'fetches a package; test/commands/run.test.ts has --server with one that is there',
    },
  'npx tenon run "Look it up." --server wiki=https://wiki.example.com/mcp --server old=sse:https://old.example.com/sse':
    needsServers,
  'npx tenon run "Look it up." --server \'api={"type":"http","url":"https://api.example.com/mcp","headers":{"Authorization":"Bearer …"}}\'':
    needsServers,
  'ANTHROPIC_API_KEY=… npx tenon run "Which tools do you have?" --runtime embedded --tools ./tools.js':
    needsModel,
  'OPENAI_API_KEY=… node hello.mjs': needsModel,
  'npx tenon run --tools ./tools.js': inTerminal,
  'npx tenon run --tools ./tools.js --continue': inTerminal,
  'npx tenon tools ./tools.js': { in: 'project', prints: /stock\n.*\n {4}product {2}string/ },
  'npx tenon call ./tools.js stock product=hammer': { in: 'project', prints: /hammer/ },
  'npx tenon call ./tools.js stock --json-input \'{"product":"hammer"}\' --json': {
    in: 'project',
    prints: /"content": \[/,
  },
  'npx tenon dev ./tools.js': { why: 'runs until it is stopped; test/commands/dev.test.ts does that' },
  'npx tenon doctor': { in: 'project', prints: /✓ MCP server "github" \(project, .*\) is connected/ },
  'npx tenon mcp list': { in: 'project', prints: /github/ },
  'npx tenon mcp get github': { in: 'project', prints: /npx/ },
  'npx tenon inspect -- node shop.mjs': inspected,
  'npx tenon inspect run.tape': inspected,
  'npx tenon inspect before.tape after.tape': inspected,
  'npx tenon inspect run.tape --why stock': inspected,
  'npx tenon replay run.tape': recordedRun,
  'npx tenon replay run.tape --speed 1': recordedRun,
  'npx tenon replay run.tape --json': recordedRun,
  'npx tenon serve ./tools.js --http 3000': {
    why: 'the port may be taken; test/commands/serve.test.ts does it on a free one',
  },
  'claude mcp add shop -- npx tenon serve ./tools.js --stdio': { in: 'project', prints: /shop/ },
};

/** Examples have their own tests, which run them with and without `--cli`. */
export function planFor(page: string, command: string): Runs | LeftOut | undefined {
  if (/npm start -- "/.test(command)) return needsModel;
  if (page.startsWith('examples/') && command.startsWith('npm start')) {
    return { why: 'run by the test of the example' };
  }
  return COMMANDS[command];
}
