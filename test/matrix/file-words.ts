/** What the agents tell the model about files, each in its own words: a text of the runtime, and Claude Code's with the same meaning. */
import type { Finding } from './support/compare.js';

/** Where the agent speaks for itself. What a file contains is in other places, and must be the same. */
const PLACES =
  /^(message|decision_reason|rewind\.threw\.message|tool_use_result|(message|messages\[\d+\])\.content\[\d+\]\.content(\[0\]\.text)?)$/;

const PAIRS: readonly (readonly [ours: RegExp, theirs: RegExp])[] = [
  // Read.
  [
    /^<system-reminder>The file has only 4 lines; there is no line 99\./,
    /shorter than the provided offset \(99\)\. The file has 4 lines/,
  ],
  [/^<system-reminder>The file is empty\./, /contents are empty/],
  [
    /^(Error: )?The file has 293 KB; at most 256 KB .*`allow_large`/,
    /\(293KB\) exceeds maximum allowed size \(256KB\).*allow_large/,
  ],
  [
    /^(Error: )?These are about 37500 tokens; at most 25000 .*`allow_large`/,
    /\(37500 tokens\) exceeds maximum allowed tokens \(25000\).*allow_large/,
  ],
  [/^The PDF <cwd>\/d\.pdf \(327 bytes\):$/, /^PDF file read: <cwd>\/d\.pdf \(327 bytes\)$/],
  [/There is no file at this path\./, /File (does not exist|has not been read yet)\./],
  [/is a directory\. Give the path of a file\./, /EISDIR|is a directory, not a file\./],
  [/a \.dat file is binary\./, /binary \.dat file\./],
  [/a \.zip file is binary\./, /binary \.zip file\./],
  [/^1\ta\0b\n2\t\n\n\[Not all .* NUL bytes/, /^1\ta\0b\n2\t\n\n\[This file has NUL bytes/],
  [
    /^1\tgr\uFFFD\n2\t\n\n\[Not all .* not valid UTF-8/,
    /^1\tgr\uFFFD\n2\t\n\n\[This file is not valid UTF-8/,
  ],
  [
    /broken\.png is named like an image, but is none/,
    /has an image extension but its content is not a valid/,
  ],
  [
    /^(Error: )?The image <cwd>\/empty\.png is empty\.$/,
    /^(Error: )?Image file is empty: <cwd>\/empty\.png$/,
  ],
  [/The notebook is not valid JSON;/, /Notebook file is not valid JSON/],
  [/broken\.pdf is named like a PDF,/, /not a valid PDF .*: <cwd>\/broken\.pdf$/],
  [/is a device or tells of a process/, /names a device or process file/],
  [/InputValidationError: \w+: /, /InputValidationError: /],
  // Write and Edit.
  [/ was created\. You know its content/, /^File created successfully at: .*no need to Read it back\)$/],
  [/ was (replaced|changed)\. You know its content/, /has been updated.* no need to Read it back\)$/],
  [
    /^Every occurrence in .* was replaced\. You know its content/,
    /All occurrences were successfully replaced\. .* no need to Read/,
  ],
  [/^Every occurrence in .* was replaced\.$/, /All occurrences were successfully replaced\.$/],
  [/^[\w.]+ was changed\.$/, /has been updated successfully\.$/],
  [
    / was changed\. It had been changed by somebody else/,
    /updated successfully\. .*modified on disk since you last read it/,
  ],
  [/has changed since it was read/, /has been modified since read/],
  [/was not read in this conversation/, /has not been read yet/],
  [/ is a file, not a directory\./, /ENOTDIR/],
  [/Nothing was written: it is not valid UTF-8/, /File is not valid UTF-8: .*so nothing was written/],
  [/Nothing was written: it has NUL bytes/, /File has NUL bytes .*so nothing was written/],
  [
    /is a symbolic link\. Change the file that it leads to: <cwd>\/target\.txt/,
    /is a symbolic link(\. Write to .*: <cwd>\/target\.txt\.)?$/,
  ],
  [/does not contain `old_string`:\n(zzz|nosuch)/, /not found in file\.\nString: (zzz|nosuch)/],
  [
    /contains `old_string` 2 times\. .*`replace_all`/,
    /^(<tool_use_error>|Error: )Found 2 matches .*replace_all/,
  ],
  [/`new_string` are the same:/, /exactly the same\./],
  [/has content already:/, /file already exists\./],
  [/is a Jupyter notebook\. Change its cells/, /is a Jupyter Notebook\./],
  [/No such tool available: (Bash|Write)(<|$)/, /No such tool available: (Bash|Write)\. /],
  [/\n\n\(1 match in 1 file\)$/, /\n\nFound 1 total occurrence across 1 file\.$/],
  [/^File rewinding is not enabled\. Set `enableFileCheckpointing`\.$/, /^File rewinding is not enabled\.$/],
  // NotebookEdit.
  [
    /^The cell ([\w-]+ )?was (replaced|inserted|deleted)\.$/,
    /^(Updated cell|Inserted a new cell|Deleted cell) /,
  ],
  [/has no cell "nosuch"/, /"nosuch" not found/],
  [/has no cell "cell-9"/, /index 9 does not exist/],
  [/Say which cell is meant/, /Cell ID must be specified/],
  [/say its `cell_type`/, /Cell type is required/],
  [/NotebookEdit changes Jupyter notebooks/, /must be a Jupyter notebook/],
];

/** Both say the same thing about a file, in a place for words. */
export function isAboutFiles({ path, subject, reference }: Finding): boolean {
  return (
    typeof subject === 'string' &&
    typeof reference === 'string' &&
    PLACES.test(path) &&
    PAIRS.some(([ours, theirs]) => ours.test(subject) && theirs.test(reference))
  );
}
