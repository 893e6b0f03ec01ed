import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { PermissionMode } from '../../../protocol/permissions/permissions.js';
import type { FilePlaces } from '../paths/file-places.js';
import type { TouchedFiles } from './command-files.js';
import type { FoundCommands } from './found-commands.js';
import type { ShellLine } from './shell-line.js';

export interface CommandCase {
  readonly command: string;
  readonly cwd: string;
  /** The model has the tool Read: one `cd` before commands that read is then nothing to ask about, as in the CLI. */
  readonly offersRead: boolean;
  readonly mode: PermissionMode;
  /** The rules of the tool; those without a specifier are about all commands. */
  readonly rules: readonly RuleInForce[];
  readonly places: FilePlaces;
}

/** A case, and what was found in it. */
export interface ReadCase extends CommandCase {
  readonly line: ShellLine;
  readonly found: FoundCommands;
  readonly files: TouchedFiles;
}
