import { readFileSync } from 'node:fs';
import { packagePath } from '../own-package.js';

/** npm excludes files named `.gitignore` from packages, so the template uses another name. */
const TEMPLATE = {
  'tools.js': 'tools.js',
  'tools.test.js': 'tools.test.js',
  'README.md': 'README.md',
  '.gitignore': 'gitignore',
};

/** What `tenon new` writes, by path. */
export function projectFiles(name: string, tenonVersion: string): Record<string, string> {
  const files = Object.entries(TEMPLATE).map(([path, source]) => {
    const text = readFileSync(packagePath('template', source), 'utf8');
    return [path, text.replaceAll('{{name}}', name)] as const;
  });
  const manifest = `${JSON.stringify(manifestOf(name, tenonVersion), null, 2)}\n`;
  return { 'package.json': manifest, ...Object.fromEntries(files) };
}

function manifestOf(name: string, tenonVersion: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'tenon run "Do we have hammers?" --tools ./tools.js',
      test: 'node --test',
    },
    dependencies: { tenon: `^${tenonVersion}`, zod: '^4.0.0' },
  };
}
