import type { SearchQuery } from '../workspace.js';
import { checkedInput, type InputSchema } from './checked-input.js';

const CONTENT_ONLY = 'Only with output_mode "content".';

export const GREP_SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', description: 'A regular expression in the syntax of ripgrep' },
    path: {
      type: 'string',
      description: 'The file or directory to search. Leave it out for the working directory.',
    },
    glob: { type: 'string', description: 'Search only files with such names: "*.js", "*.{ts,tsx}"' },
    type: { type: 'string', description: 'Search only files of a type: js, py, rust, go, …' },
    output_mode: {
      type: 'string',
      enum: ['content', 'files_with_matches', 'count'],
      description: 'The matching lines, the files (as if left out), or how many lines match in each file',
    },
    '-A': { type: 'integer', description: `Lines to show after each match. ${CONTENT_ONLY}` },
    '-B': { type: 'integer', description: `Lines to show before each match. ${CONTENT_ONLY}` },
    '-C': { type: 'integer', description: `Lines to show before and after each match. ${CONTENT_ONLY}` },
    context: { type: 'integer', description: 'The same as -C' },
    '-n': { type: 'boolean', description: `Line numbers; true if left out. ${CONTENT_ONLY}` },
    '-i': { type: 'boolean', description: 'Upper and lower case are the same' },
    '-o': { type: 'boolean', description: `Only the matching parts of lines. ${CONTENT_ONLY}` },
    multiline: {
      type: 'boolean',
      description: 'A match may reach over several lines, and "." matches line breaks',
    },
    head_limit: {
      type: 'integer',
      description: 'How many lines or files to show; 250 if left out, 0 for all',
    },
    offset: { type: 'integer', description: 'How many lines or files to skip first' },
  },
  required: ['pattern'],
  additionalProperties: false,
};

const DEFAULT_LIMIT = 250;

export interface GrepCall {
  readonly path: string;
  readonly mode: 'content' | 'files_with_matches' | 'count';
  readonly query: Omit<SearchQuery, 'path'>;
  readonly hasLineNumbers: boolean;
  /** Lines around matches were asked for, even if none of them: what does not belong together is kept apart. */
  readonly hasContext: boolean;
  /** 0: all. */
  readonly limit: number;
  readonly offset: number;
  /** What ripgrep would refuse, found when it is too late for the call to be taken back. */
  readonly late: string | undefined;
}

const MODES = { content: 'lines', files_with_matches: 'files', count: 'counts' } as const;

/** Throws with what is wrong, for the model to mend. */
export function readGrep(input: Readonly<Record<string, unknown>>): GrepCall {
  const fields = checkedInput('Grep', GREP_SCHEMA, input) as unknown as GrepFields;
  const { output_mode: mode = 'files_with_matches', head_limit: limit = DEFAULT_LIMIT, offset = 0 } = fields;
  for (const [name, value] of Object.entries({ head_limit: limit, offset })) {
    if (value < 0) throw new Error(`\`${name}\` cannot be less than 0; it is ${value}.`);
  }
  const around = fields.context ?? fields['-C'];
  const before = around ?? fields['-B'];
  const after = around ?? fields['-A'];
  const negative = [before, after].find((lines) => lines !== undefined && lines < 0);
  return {
    path: fields.path ?? '',
    mode,
    limit,
    offset,
    hasLineNumbers: fields['-n'] ?? true,
    hasContext: before !== undefined || after !== undefined,
    late: negative === undefined ? undefined : `There cannot be ${negative} lines around a match.`,
    query: {
      pattern: fields.pattern,
      mode: MODES[mode],
      globs: globsOf(fields.glob),
      type: fields.type,
      ignoreCase: fields['-i'],
      multiline: fields.multiline,
      onlyMatching: fields['-o'],
      linesBefore: before,
      linesAfter: after,
    },
  };
}

interface GrepFields {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: GrepCall['mode'];
  readonly '-A'?: number;
  readonly '-B'?: number;
  readonly '-C'?: number;
  readonly context?: number;
  readonly '-n'?: boolean;
  readonly '-i'?: boolean;
  readonly '-o'?: boolean;
  readonly multiline?: boolean;
  readonly head_limit?: number;
  readonly offset?: number;
}

/** Several may be given, with blanks or commas between them. */
function globsOf(glob = ''): string[] {
  return glob
    .split(/\s+/)
    .flatMap((part) => (part.includes('{') ? [part] : part.split(',')))
    .filter((part) => part !== '');
}
