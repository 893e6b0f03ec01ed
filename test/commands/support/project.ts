/** A project of a user, in which `tenon` is what was built here. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export async function project(
  folder: string,
  files: Record<string, string>,
  packages: readonly string[] = [],
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(root, join(folder, 'node_modules', 'tenon'));
  for (const name of packages) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}
