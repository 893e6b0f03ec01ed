/** Which files may be read and changed, who is asked, and what the host is told. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PermissionUpdate } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { writeFiles } from '../support/files.js';
import { asked, edit, furnish, questions, read, whatRan, write, yes } from '../support/permission-place.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const TOOLS = ['Read', 'Write', 'Edit', 'Glob', 'Grep'];
const done = text('done');

const told = (outcome: Outcome): Record<string, unknown>[] =>
  outcome.calls.map(({ input }) => input as Record<string, unknown>);

/** What the agent was told to do, seen from the workspace: `@out` is its neighbour. */
const modes = ({ messages }: Outcome): unknown[] =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'status' ? [message.permissionMode] : [],
  );

const denials = ({ messages }: Outcome): number =>
  messages.filter((message) => message.type === 'system' && message.subtype === 'permission_denied').length;

/** Settings of the project, and whether the user trusts it. */
function settle(
  context: Context,
  settings: object,
  options: { file?: string; isTrusted?: boolean } = {},
): void {
  const { cwd, configDir } = context.box;
  writeFiles(cwd, { [options.file ?? '.claude/settings.json']: JSON.stringify(settings) });
  if (options.isTrusted) {
    writeFiles(configDir, {
      '.claude.json': JSON.stringify({ projects: { [cwd]: { hasTrustDialogAccepted: true } } }),
    });
  }
}

export const filePermissions: readonly Scenario[] = [
  {
    name: 'files in the workspace are read unasked and changed when the host agrees',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: [read('a.txt'), write('new.txt'), edit('a.txt'), write('empty/deep/new.txt'), done],
    options: (context) => {
      furnish(context);
      return { tools: TOOLS, canUseTool: asked(context) };
    },
    check: (outcome) => {
      expect(questions(outcome).map((path) => path.split('/work/').at(-1))).toEqual([
        'new.txt',
        'a.txt',
        'empty/deep/new.txt',
      ]);
      for (const each of told(outcome)) {
        expect(each.suggestions).toEqual([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]);
      }
      expect(whatRan(outcome)).toEqual([true, false, false, false]);
    },
  },
  {
    name: 'the host accepts the suggestion to accept edits',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: [write('new.txt'), write('other.txt'), edit('b.txt'), write('.git/hooks/x'), done],
    options: (context) => {
      furnish(context);
      const canUseTool = asked(context, (input, { suggestions = [] }) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: suggestions.filter(({ type }) => type === 'setMode'),
      }));
      return { tools: TOOLS, canUseTool };
    },
    check: (outcome) => {
      expect(modes(outcome)).toEqual(['acceptEdits']);
      expect(questions(outcome)).toHaveLength(2);
      expect(whatRan(outcome)).toEqual([true, true, true, true]);
    },
  },
  {
    name: 'paths outside of the workspace',
    cites: 's15-permission-outside, builtin-tools 4, R51',
    script: ({ messages }) => {
      const steps = [
        read('../out/o.txt'),
        write('../out/n.txt'),
        toolUse('Grep', { pattern: 'one', path: '../out' }),
        toolUse('Glob', { pattern: '*', path: '../out' }),
        read('outlink/o.txt'),
        read('leak.txt'),
        write('outlink/n.txt'),
        write('leak.txt'),
        done,
      ];
      return steps[messages.filter(({ role }) => role === 'assistant').length] ?? done;
    },
    options: (context) => {
      furnish(context);
      return { tools: TOOLS, canUseTool: asked(context) };
    },
    check: (outcome) => {
      const types = told(outcome).map(({ decisionReasonType }) => decisionReasonType);
      expect(types.slice(0, 4)).toEqual(['workingDir', 'workingDir', 'workingDir', 'workingDir']);
      expect(whatRan(outcome)).toEqual(Array(8).fill(false));
    },
  },
  {
    name: 'files that other programs obey are asked about even where edits are accepted',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: [
      write('.git/hooks/x'),
      write('.claude/settings.json', '{}'),
      write('.bashrc'),
      write('.mcp.json', '{}'),
      write('ok.txt'),
      done,
    ],
    options: (context) => {
      furnish(context);
      return { tools: TOOLS, permissionMode: 'acceptEdits', canUseTool: asked(context) };
    },
    check: (outcome) => {
      expect(told(outcome).map(({ decisionReasonType }) => decisionReasonType)).toEqual(
        Array(4).fill('safetyCheck'),
      );
      expect(whatRan(outcome)).toEqual([false, false, false, false, true]);
    },
  },
  {
    name: 'a rule that denies is stronger than one that allows, and than the host',
    cites: 's15-permission-deny-rules, builtin-tools 4, R51',
    script: [
      read('secret/s.txt'),
      read('innocent.txt'),
      edit('secret/s.txt'),
      write('secret/n.txt'),
      toolUse('Grep', { pattern: 'one' }),
      toolUse('Glob', { pattern: '**/*.txt' }),
      toolUse('Grep', { pattern: 'one', path: 'secret' }),
      read('a.txt'),
      done,
    ],
    options: (context) => {
      furnish(context);
      return {
        tools: TOOLS,
        allowedTools: TOOLS,
        disallowedTools: ['Read(./secret/**)'],
        canUseTool: asked(context, yes),
      };
    },
    check: (outcome) => {
      expect(questions(outcome)).toEqual([]);
      expect(whatRan(outcome)).toEqual([false, false, false, false, true, true, false, true]);
    },
  },
  {
    name: 'a rule for Edit is a rule for Write',
    cites: 'builtin-tools 4, R51',
    script: [write('docs/n.md'), edit('docs/d.md'), write('a.txt'), write('docs/../b.txt'), done],
    options: (context) => {
      furnish(context);
      return { tools: TOOLS, allowedTools: ['Edit(docs/**)'], canUseTool: asked(context) };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([true, true, false, false]),
  },
  {
    name: 'a rule for Edit that denies is a rule for Write',
    cites: 'builtin-tools 4, R51',
    script: [write('docs/n.md'), edit('docs/d.md'), write('n.txt'), read('docs/d.md'), done],
    options: (context) => {
      furnish(context);
      return {
        tools: TOOLS,
        allowedTools: ['Edit', 'Write'],
        disallowedTools: ['Edit(docs/**)'],
        canUseTool: asked(context, yes),
      };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([false, false, true, true]),
  },
  {
    name: 'files where edits are accepted',
    cites: 'builtin-tools 4, R51',
    script: [
      write('n.txt'),
      edit('a.txt'),
      write('../more/n.txt'),
      write('../out/n.txt'),
      read('../more/m.txt'),
      done,
    ],
    options: (context) => {
      furnish(context);
      const more = join(context.box.cwd, '..', 'more');
      writeFiles(more, { 'm.txt': 'one\n' });
      return {
        tools: TOOLS,
        permissionMode: 'acceptEdits',
        additionalDirectories: [more],
        canUseTool: asked(context),
      };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([true, true, true, false, true]),
  },
  ...(['plan', 'dontAsk', 'bypassPermissions'] as const).flatMap((permissionMode): Scenario[] =>
    [true, false].map((hasHost) => ({
      name: `files in the mode ${permissionMode}, ${hasHost ? 'with' : 'without'} a host that can be asked`,
      cites: 's15-plan-mode, s04r-dontask, s04r-bypass, builtin-tools 4, R51',
      // The plan has a file with a name by chance, of which the model is told.
      ...(permissionMode === 'plan' ? { ignore: ['model'] as const } : {}),
      // Tests may run as root, where the CLI has no bypassPermissions otherwise.
      env: { IS_SANDBOX: '1' },
      script: [
        read('a.txt'),
        write('n.txt'),
        edit('a.txt'),
        ...(permissionMode === 'plan' ? [] : [read('../out/o.txt'), write('.git/hooks/x')]),
        done,
      ],
      options: (context) => {
        furnish(context);
        return {
          tools: TOOLS,
          permissionMode,
          allowedTools: ['Edit(n.txt)'],
          ...(permissionMode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {}),
          ...(hasHost ? { canUseTool: asked(context) } : {}),
        };
      },
      check: (outcome) => {
        expect(whatRan(outcome)[0]).toBe(true);
        if (permissionMode === 'plan') expect(whatRan(outcome)[1]).toBe(false);
        if (permissionMode === 'dontAsk') expect(questions(outcome)).toEqual([]);
      },
    })),
  ),
  {
    name: 'files when nobody can be asked',
    cites: 's04-no-callback, builtin-tools 4, R51',
    script: [
      read('a.txt'),
      write('n.txt'),
      read('../out/o.txt'),
      write('outlink/n.txt'),
      write('.bashrc'),
      done,
    ],
    options: (context) => {
      furnish(context);
      return { tools: TOOLS };
    },
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual([true, false, false, false, false]);
      expect(denials(outcome)).toBe(4);
    },
  },
  ...[false, true].map(
    (isTrusted): Scenario => ({
      name: `rules of a project that is ${isTrusted ? '' : 'not '}trusted`,
      cites: 'builtin-tools 4, R51',
      script: [write('docs/n.md'), read('secret/s.txt'), write('local.txt'), write('user.txt'), done],
      options: (context) => {
        furnish(context);
        settle(
          context,
          { permissions: { allow: ['Edit(docs/**)'], deny: ['Read(secret/**)'] } },
          { isTrusted },
        );
        settle(
          context,
          { permissions: { allow: ['Edit(local.txt)'] } },
          { file: '.claude/settings.local.json' },
        );
        writeFiles(context.box.configDir, {
          'settings.json': JSON.stringify({ permissions: { allow: [`Edit(/${context.box.cwd}/user.txt)`] } }),
        });
        return {
          tools: TOOLS,
          settingSources: ['user', 'project', 'local'],
          canUseTool: asked(context),
        };
      },
      check: (outcome) => expect(whatRan(outcome)).toEqual([isTrusted, false, true, true]),
    }),
  ),
  {
    name: 'rules of the settings that a query gives',
    cites: 'builtin-tools 4, R51',
    script: [write('docs/n.md'), write('n.txt'), done],
    options: (context) => {
      furnish(context);
      return {
        tools: TOOLS,
        settings: { permissions: { allow: ['Edit(docs/**)'], deny: ['Edit(n.txt)'] } },
        canUseTool: asked(context, yes),
      };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([true, false]),
  },
  {
    name: 'the mode that a project starts with',
    cites: 'builtin-tools 4, R51',
    script: [write('n.txt'), done],
    options: (context) => {
      furnish(context);
      settle(context, { permissions: { defaultMode: 'acceptEdits' } });
      return { tools: TOOLS, settingSources: ['project'], canUseTool: asked(context) };
    },
    check: (outcome) => expect(whatRan(outcome)).toEqual([true]),
  },
  {
    name: 'a rule that a host adds for a directory outside',
    cites: 's15-permission-outside, builtin-tools 4, R51',
    script: [read('../out/o.txt'), read('../out/o.txt'), write('../out/n.txt'), write('../out/m.txt'), done],
    options: (context) => {
      furnish(context);
      const canUseTool = asked(context, (input, { suggestions = [] }) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: suggestions as PermissionUpdate[],
      }));
      return { tools: TOOLS, canUseTool };
    },
    check: (outcome) => {
      expect(questions(outcome)).toHaveLength(2);
      expect(whatRan(outcome)).toEqual([true, true, true, true]);
    },
  },
];
