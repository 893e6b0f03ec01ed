// A program that looks at what it has been given before it uses it: its version, as a gate of its own and as one of a
// tracer that patches the SDK when it is loaded; and its source, as tracers do that rewrite it.

import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from '@apm-js-collab/code-transformer';
import { InstrumentationBase, InstrumentationNodeModuleDefinition } from '@opentelemetry/instrumentation';
import semver from 'semver';

const NAME = '@anthropic-ai/claude-agent-sdk';
const [pathToClaudeCodeExecutable, environment, cwd] = process.argv.slice(2);

const main = fileURLToPath(import.meta.resolve(NAME));
const folder = main.slice(0, main.lastIndexOf(NAME) + NAME.length);
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const passes = ['>=0.2.0', '^0.3', '>=0.3.0 <0.4.0'].filter((range) => semver.satisfies(version, range));

/** As the configurations of dd-trace and Braintrust say it; the former goes by the path, the latter by the name. */
const isRewritten = (packageName, kind, versionRange) => {
  const functionQuery = { functionName: 'query', kind, isExportAlias: true };
  const target = { name: NAME, versionRange, filePath: 'sdk.mjs' };
  const file = main.slice(folder.length + 1);
  const transformer = create([{ channelName: 'query', module: target, functionQuery }]).getTransformer(
    packageName,
    version,
    file,
  );
  return transformer?.transform(readFileSync(main, 'utf8'), 'esm').code.includes('orchestrion') ?? false;
};
const rewritten = {
  byPath: isRewritten(NAME, 'Async', '>=0.2.113'),
  byName: isRewritten(name, 'Sync', '>=0.2.0'),
};

/** As OpenTelemetry's instrumentations do, OpenInference's among them. */
const traced = [];
class Tracer extends InstrumentationBase {
  init() {
    return new InstrumentationNodeModuleDefinition(NAME, ['>=0.2.0'], (sdk) => {
      const { query } = sdk;
      sdk.query = (parameters) => {
        traced.push(parameters.prompt);
        return query(parameters);
      };
    });
  }
}
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
new Tracer('tracer', '1.0.0', {}).enable();
const { query } = await import(NAME);
let answer;
for await (const message of query({
  prompt: 'Hello?',
  options: { pathToClaudeCodeExecutable, env: JSON.parse(environment), cwd },
})) {
  if (message.type === 'result') answer = message.result;
}
console.log(JSON.stringify({ inSdk: dirname(main) === folder, version, passes, rewritten, answer, traced }));
