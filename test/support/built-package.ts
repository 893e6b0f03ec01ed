/** The package as a program that depends on it has it: what was built, and of other packages no more than is named. */
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the package itself depends on, without what is optional. */
export const ITS_PACKAGES: readonly string[] = [
  '@modelcontextprotocol',
  'diff',
  'eventsource-parser',
  'unbash',
  'zod-to-json-schema',
];

/** Puts a copy of the build into `folder/node_modules/tenon`, and links to the packages beside it. */
export async function installBuilt(folder: string, packages: readonly string[] = []): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'tenon'), { recursive: true });
  for (const part of ['dist', 'package.json']) {
    await cp(join(root, part), join(modules, 'tenon', part), { recursive: true });
  }
  for (const name of packages) await symlink(join(root, 'node_modules', name), join(modules, name));
}
