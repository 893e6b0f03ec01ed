import { readFileSync } from 'node:fs';
import { packagePath } from '../own-package.js';

/** What kind of project is made: its files, by the path that they get and their place in the folder of templates. */
interface Template {
  readonly files: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const TEMPLATES = {
  /** Tools for `tenon run`, and a test of them. */
  tools: {
    files: {
      'tools.js': 'tools.js',
      'tools.test.js': 'tools.test.js',
      'README.md': 'README.md',
      // npm excludes files named `.gitignore` from packages, so the template uses another name.
      '.gitignore': 'gitignore',
    },
    scripts: { start: 'tenon run "Do we have hammers?" --tools ./tools.js', test: 'node --test' },
    dependencies: { zod: '^4.0.0' },
  },
  /** The same tools behind a handler of requests, for platforms without processes and files. */
  worker: {
    files: {
      'worker.js': 'worker/worker.js',
      'tools.js': 'tools.js',
      'events.js': 'worker/events.js',
      'rehearsal.js': 'worker/rehearsal.js',
      'worker.test.js': 'worker/worker.test.js',
      'build.js': 'worker/build.js',
      'workerd.capnp': 'worker/workerd.capnp',
      'README.md': 'worker/README.md',
      '.gitignore': 'worker/gitignore',
    },
    scripts: {
      build: 'node build.js',
      start: 'node build.js && workerd serve workerd.capnp',
      test: 'node --test',
    },
    dependencies: { zod: '^4.0.0' },
    devDependencies: { esbuild: '^0.28.0', workerd: '^1.20261110.1' },
  },
} satisfies Record<string, Template>;

export type ProjectKind = keyof typeof TEMPLATES;

/** What `tenon new` writes, by path. */
export function projectFiles(kind: ProjectKind, name: string, tenonVersion: string): Record<string, string> {
  const template = TEMPLATES[kind];
  const files = Object.entries(template.files).map(([path, source]) => {
    const text = readFileSync(packagePath('template', source), 'utf8');
    return [path, text.replaceAll('{{name}}', name)] as const;
  });
  const manifest = `${JSON.stringify(manifestOf(template, name, tenonVersion), null, 2)}\n`;
  return { 'package.json': manifest, ...Object.fromEntries(files) };
}

function manifestOf(template: Template, name: string, tenonVersion: string): object {
  const { scripts, dependencies, devDependencies } = template;
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts,
    dependencies: { tenon: `^${tenonVersion}`, ...dependencies },
    ...(devDependencies === undefined ? {} : { devDependencies }),
  };
}
