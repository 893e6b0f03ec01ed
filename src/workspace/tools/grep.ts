import { messageOf } from '../../protocol/base/errors.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome } from '../../runtime/tools/tool-port.js';
import { absolutePath } from '../files/paths.js';
import { NEEDS_MULTILINE } from '../search/problems.js';
import { checkedInput } from './checked-input.js';
import { permitted } from './file-tool.js';
import { GREP_SCHEMA, type GrepCall, readGrep } from './grep-input.js';
import { grepOutcome, shownGrep } from './grep-result.js';
import { foundFiles, type SearchTools } from './search-place.js';

/** `Grep`: what files contain. */
export function grepTool(tools: SearchTools): RuntimeTool {
  const { context, here } = tools;
  const { workspace } = context;
  return {
    name: 'Grep',
    description:
      'Searches the contents of files with regular expressions, quickly, by ripgrep where it is installed. Hidden files are searched, ignored ones are not. Write \\{ for a brace.',
    inputSchema: GREP_SCHEMA,
    isReadOnly: true,
    shown: shownGrep,
    prepare: async (input) => {
      const path = absolutePath(await here(), readGrep(input).path);
      const { real } = await workspace.locate(path);
      return { access: { kind: 'read', path, real }, input: checkedInput('Grep', GREP_SCHEMA, input) };
    },
    run: async ({ input, access, signal }) => {
      const call = readGrep(input);
      const place = permitted(access, 'Grep');
      const kind = (await workspace.stat(place.real))?.kind;
      if (kind === undefined) {
        const { root } = await here();
        return failedOutcome(`There is no "${call.path}". Relative paths start from ${root}.`);
      }
      if (call.late !== undefined) return failedOutcome(call.late);
      try {
        const found = await foundFiles(tools, call.query, place, signal);
        return grepOutcome(call, found, kind === 'file');
      } catch (error) {
        signal.throwIfAborted();
        return refused(call, error);
      }
    },
  };
}

/** A line break in a pattern never matches a line: that is an answer, and the model can mend it. */
function refused(call: GrepCall, error: unknown): ToolOutcome {
  const why = messageOf(error);
  if (why !== NEEDS_MULTILINE) return failedOutcome(`The search was refused: ${why}`);
  const nothing = grepOutcome(call, { files: [], isCut: false, nameOf: () => '' }, false);
  return { ...nothing, content: `${nothing.content}\n\n(${why})` };
}
