import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The version of a CLI, as far as its location reveals it: starting it to ask would take a second.
 * Undefined if unknown, as with a custom wrapper or a copied program.
 */
export function versionOf(path: string): string | undefined {
  let file: string;
  try {
    file = realpathSync(path);
  } catch {
    return undefined;
  }
  const folder = dirname(file);
  // Installers other than npm keep each version as `versions/2.1.140` or `2.1.140/claude`.
  const named = [basename(file), basename(folder)].find((name) => /^\d+\.\d+\.\d+$/.test(name));
  if (named !== undefined) return named;
  const packages = [
    folder,
    // The native program in `bin`.
    dirname(folder),
    // Scripts that start the program in a package: the CLI's own local installation, and pnpm's `.bin`.
    join(folder, 'node_modules', '@anthropic-ai', 'claude-code'),
    join(dirname(folder), '@anthropic-ai', 'claude-code'),
  ];
  for (const candidate of packages) {
    const version = versionOfPackage(join(candidate, 'package.json'));
    if (version !== undefined) return version;
  }
  return undefined;
}

interface Manifest {
  name?: unknown;
  version?: unknown;
  claudeCodeVersion?: unknown;
}

function versionOfPackage(file: string): string | undefined {
  let manifest: Manifest;
  // It usually does not exist, and an exception is a much slower way to find that out.
  if (!existsSync(file)) return undefined;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
  const { name, version, claudeCodeVersion } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  if (name.startsWith('@anthropic-ai/claude-code')) return version;
  if (!name.startsWith('@anthropic-ai/claude-agent-sdk')) return undefined;
  return typeof claudeCodeVersion === 'string' ? claudeCodeVersion : versionInOfficialSdk(version);
}

/**
 * The official SDK bundles a CLI with the same patch number: 0.1.30 has 2.0.30, 0.2.50 and 0.3.50 have
 * 2.1.50.
 */
function versionInOfficialSdk(version: string): string | undefined {
  const [, minor, patch] = /^0\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (minor === undefined) return undefined;
  return minor === '1' ? `2.0.${patch}` : `2.1.${patch}`;
}
