import * as tenon from '../../index.js';

const OFFICIAL_NAME = '@anthropic-ai/claude-agent-sdk';

/** The release of the official SDK whose interface Tenon has. */
const OFFICIAL_VERSION = '0.3.325';

/** Equal for whoever compares versions; and it says who it is to whoever reads it. */
export const STAND_IN_VERSION = `${OFFICIAL_VERSION}+tenon`;

/** What `tenon stand-in` writes, by path. */
export function standInFiles(tenonVersion: string): Record<string, string> {
  const refused = ['bridge', 'browser', 'extract'];
  return {
    'package.json': `${JSON.stringify(manifestOf(tenonVersion, refused), null, 2)}\n`,
    'sdk.mjs': mainFile(),
    'sdk.d.ts': 'export * from "tenon";\n',
    'sdk-tools.js': 'export {};\n',
    'sdk-tools.d.ts': 'export * from "tenon/sdk-tools";\n',
    ...Object.fromEntries(
      refused.flatMap((name) => [
        [`${name}.js`, `export * from "tenon/${name}";\n`],
        [`${name}.d.ts`, `export * from "tenon/${name}";\n`],
      ]),
    ),
  };
}

function manifestOf(tenonVersion: string, refused: readonly string[]): object {
  const main = { types: './sdk.d.ts', default: './sdk.mjs' };
  const tools = { types: './sdk-tools.d.ts', default: './sdk-tools.js' };
  return {
    name: OFFICIAL_NAME,
    version: STAND_IN_VERSION,
    // Nobody publishes it by accident.
    private: true,
    description: `Tenon, for programs and tracers that look at the name and the version of ${OFFICIAL_NAME}. Written by "tenon stand-in".`,
    type: 'module',
    main: './sdk.mjs',
    types: './sdk.d.ts',
    exports: {
      '.': main,
      './core': main,
      './sdk-tools': tools,
      './sdk-tools.js': tools,
      ...Object.fromEntries(refused.map((name) => [`./${name}`, `./${name}.js`])),
      './package.json': './package.json',
    },
    peerDependencies: { tenon: `>=${tenonVersion}` },
  };
}

/** Not `export *`, which loaders of tracers cannot all read. */
function mainFile(): string {
  const names = Object.keys(tenon)
    .filter((name) => name !== 'query')
    .sort();
  return `import { query as run } from "tenon";

export {
${names.map((name) => `  ${name},\n`).join('')}} from "tenon";

// A function of this file, under this name: tracers that rewrite the SDK as it is loaded look for it here.
function query(parameters) {
  return run(parameters);
}

export { query };
`;
}
