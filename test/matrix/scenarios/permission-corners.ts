/** Permissions that were found to differ by a suite of an outsider: rules with a star, and reading after a `cd`. */
import { expect } from 'vitest';
import { text } from '../../../src/testing/index.js';
import { asked, bash, furnish, read, whatRan, write } from '../support/permission-place.js';
import type { Scenario } from '../support/scenario.js';

const done = text('done');

export const permissionCorners: readonly Scenario[] = [
  ...['*', ''].map(
    (star): Scenario => ({
      name: `rules for all files, written with "(${star})"`,
      cites: 'builtin-tools 4, R51',
      script: [write('n.txt'), write('../out/n.txt'), read('../out/o.txt'), read('a.txt'), done],
      options: (context) => {
        furnish(context);
        return {
          tools: ['Read', 'Write'],
          allowedTools: [`Read(${star})`, `Write(${star})`],
          canUseTool: asked(context),
        };
      },
      check: (outcome) => expect(whatRan(outcome)).toEqual([true, false, false, true]),
    }),
  ),
  {
    name: 'a rule for all files beside one with a star',
    cites: 'builtin-tools 4, R51',
    script: [read('../out/o.txt'), done],
    options: (context) => {
      furnish(context);
      return { tools: ['Read'], allowedTools: ['Read(*)', 'Read'], canUseTool: asked(context) };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([true]),
  },
  ...[true, false].map(
    (hasRead): Scenario => ({
      name: `commands that read in another directory, ${hasRead ? 'with' : 'without'} the tool Read`,
      cites: 'builtin-tools 4, R51',
      script: [bash('cd docs && ls'), done],
      options: (context) => {
        furnish(context);
        return { tools: hasRead ? ['Bash', 'Read'] : ['Bash'], canUseTool: asked(context) };
      },
      check: (outcome) => expect(whatRan(outcome)).toEqual([hasRead]),
    }),
  ),
];
