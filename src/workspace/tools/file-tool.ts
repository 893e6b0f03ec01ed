import {
  failedOutcome,
  type PreparedCall,
  type RuntimeTool,
  type ToolAccess,
  type ToolOutcome,
} from '../../runtime/tools/tool-port.js';
import { absolutePath, type Whereabouts } from '../files/paths.js';
import type { FileTools, Target } from './changed-file.js';
import { checkedInput, type InputSchema, meantInput } from './checked-input.js';
import { oneAtATime } from './file-places.js';

type Fields = Readonly<Record<string, unknown>>;

/** What differs between the tools that change a file. */
export interface ChangingTool<Plan> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** The parameter with the path. */
  readonly pathField: string;
  /** What parameters are when the model leaves them out. */
  readonly defaults?: Fields | undefined;
  /** The parameter with lines that are put into the file, if this call puts any. */
  linesField?(fields: Fields): string | undefined;
  /** What is wrong with the call, whatever the file is. */
  misuse?(fields: Fields): string | undefined;
  /** What the change would be, or why there can be none. Changes nothing. */
  plan(fields: Fields, target: Target): Promise<Planned<Plan>>;
  /** See {@link RuntimeTool.shown}. */
  shown(output: unknown): ToolOutcome['content'] | undefined;
  /** Makes the change. */
  apply(plan: Plan, fields: Fields, target: Target): Promise<ToolOutcome>;
}

export type Planned<Plan> =
  | { readonly problem: string; readonly plan?: undefined }
  | { readonly plan: Plan; readonly problem?: undefined };

/** A tool that plans a change before anybody is asked, and plans it anew when it is made: the file may be another by then. */
export function changingTool<Plan>({ context, here }: FileTools, tool: ChangingTool<Plan>): RuntimeTool {
  const { name, description, inputSchema, pathField, defaults } = tool;
  const { workspace } = context;
  return {
    name,
    description,
    inputSchema,
    shown: tool.shown,
    asMeant: (input) => trimmedLines(tool, meantInput(name, inputSchema, input, defaults)),
    prepare: async (input): Promise<PreparedCall> => {
      const fields = checkedInput(name, inputSchema, input);
      const problem = tool.misuse?.(fields);
      if (problem !== undefined) return { problem };
      const path = absolutePath(await here(), String(fields[pathField]));
      const { real } = await workspace.locate(path);
      const access = { kind: 'edit' as const, path, real };
      const prepared = { access, input: { ...defaults, ...fields, [pathField]: path } };
      // Whether a change is possible would tell what a file contains that must not be read.
      if (!context.mayRead(real)) return prepared;
      const planned = await tool.plan(fields, { path, real });
      return planned.problem === undefined ? prepared : { ...prepared, problem: planned.problem };
    },
    run: async ({ input, given, access, signal }) => {
      const checked = checkedInput(name, inputSchema, input);
      const fields = { ...checked, [pathField]: namedPath(await here(), pathField, checked, given) };
      const target = permitted(access, name);
      return oneAtATime(workspace, target.real, async () => {
        const planned = await tool.plan(fields, target);
        if (planned.problem !== undefined) return failedOutcome(planned.problem);
        signal.throwIfAborted();
        return tool.apply(planned.plan, fields, target);
      });
    },
  };
}

/**
 * As in the CLI: blanks at the ends of lines that a model writes are an oversight, except in Markdown, where two of
 * them are a line break. What a hook or the host puts in its place stays as it is.
 */
function trimmedLines(
  { pathField, linesField }: Pick<ChangingTool<never>, 'pathField' | 'linesField'>,
  fields: Fields,
): Fields {
  const field = linesField?.(fields);
  const lines = field === undefined ? undefined : fields[field];
  const isMarkdown = /\.mdx?$/i.test(String(fields[pathField]));
  if (field === undefined || typeof lines !== 'string' || isMarkdown) return fields;
  const ended = lines.split(/(\r\n|\n|\r)/).map((part, index) => (index % 2 === 0 ? part.trimEnd() : part));
  return { ...fields, [field]: ended.join('') };
}

/** The path as the model has named it, unless somebody has put another one in its place. */
export function namedPath(here: Whereabouts, field: string, input: Fields, given: Fields = input): string {
  const [used, named] = [String(input[field]), String(given[field])];
  return absolutePath(here, named) === used ? named : used;
}

/** Throws if nothing was decided about a file: then nothing was permitted. */
export function permitted(access: ToolAccess | undefined, tool: string): Target {
  if (access?.kind === 'edit' || access?.kind === 'read') return access;
  throw new Error(`${tool} was called without a file that was permitted.`);
}
