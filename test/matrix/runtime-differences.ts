/**
 * Every difference between Tenon's runtime and the Claude Code CLI that the matrix may find, each with its reason. The
 * client is the same on both sides. What is not on this list fails the scenario, and so does an entry that one of its
 * scenarios does not show in one of its cells.
 */
import { isAboutFiles } from './file-words.js';
import { isAboutAgents, isInOwnWords } from './own-words.js';
import type { Finding } from './support/compare.js';
import type { Difference } from './support/judge.js';

export type CellName = 'Tenon × tenon-runtime' | 'official SDK × tenon-runtime' | 'Tenon × embedded';

export interface RuntimeDifference extends Difference {
  /** The cells that must show it; all of them unless given. */
  readonly cells?: readonly CellName[];
  /** What the scenario's own check says is what differs: it must fail here. */
  readonly contradictsCheck?: true;
  /** Left to timing, so that it need not be seen. */
  readonly sometimes?: true;
}

const IN_MEMORY: readonly CellName[] = ['Tenon × embedded'];

/** What the model and the consumer see of a call whose result is another one. */
function consequence({ where, item, path }: Finding): boolean {
  return (
    (item === 'user tool_result' && /^(message\.content|tool_use_result|tool_result_meta)/.test(path)) ||
    (where === 'model' && /^messages\[\d+\]\.content\[\d+\]\.(content|is_error)/.test(path))
  );
}

const areTexts = ({ subject, reference }: Finding) =>
  typeof subject === 'string' && typeof reference === 'string';

/** The scenarios in which a summary takes the place of what was said. */
const COMPACTED: readonly string[] = [
  'a conversation that is compacted on demand',
  'a longer conversation keeps its last answer when it is compacted on demand',
  'a conversation that compacts itself when its window is full',
  'a conversation that compacts itself between a tool and the next request',
  'a short conversation compacts itself in a window that the environment makes small',
  'a request that is too long is sent again after a compaction',
];

/** The scenarios in which the model is told something about files. */
const ABOUT_FILES: readonly string[] = [
  'relative paths after the shell has gone to another directory',
  'blanks at the ends of lines, which mean something only in Markdown',
  'Read shows texts and parts of them',
  'Read of large texts',
  'Read shows images, notebooks and PDFs',
  'Read of what cannot be read',
  'Write creates and replaces files',
  'Write refuses what would lose something',
  'Edit replaces the text that is meant, and keeps the rest',
  'Edit takes away the end of a line',
  'Edit refuses what is not clear',
  'Edit of files that others have changed',
  'Edit without Read changes only what the model has made',
  'NotebookEdit replaces, inserts and deletes cells',
  'NotebookEdit of cells without ids',
  'NotebookEdit keeps the layout of the file',
  'NotebookEdit makes another kind of a cell',
  'NotebookEdit refuses what makes no sense',
  'calls of tools that there are not',
  'hooks see paths and numbers as they are meant',
  'questions about files, and answers that change them',
  'calls that make no sense reach neither hooks nor questions',
  'a hook that changes what tools for files say',
  'a hook that says something else than tools for files do',
  'reading calls run together, writing ones alone and in order',
  'a failed call leaves the others of its answer alone',
  'files that the host reads through the agent',
  'files as they were before each message',
  'files as they were in a conversation that is resumed',
  'files that the host says the model has read',
];

/** The scenarios in which an agent hands something back, or cannot be called. */
const WITH_SUBAGENTS: readonly string[] = [
  'a subagent in the foreground',
  'a subagent that the host defines',
  'what the host sees of a subagent in the foreground',
  'a subagent in the background, and the turn that tells of it',
  'subagents of subagents, down to the last one that may',
  'the words of subagents are forwarded',
  'a subagent whose model fails',
  'a subagent that reaches its limit of turns',
  'a subagent without words at its limit hands back what is known of it',
  'a subagent in the background that the host stops',
  'a subagent that the host moves to the background',
  'subagents that do not exist, and one that is barred',
  'subagents of files',
  'models of subagents',
  'a subagent asks for permission',
  'nobody can be asked for a subagent',
  'hooks around a subagent, and in it',
  'an agent that leads the conversation',
];

/** The scenarios in which a call is asked about, or refused. */
const PERMITTED: readonly string[] = [
  'commands that read in another directory, without the tool Read',
  'rules for all files, written with "(*)"',
  'rules for all files, written with "()"',
  'Glob and Grep leave out what a rule forbids to read',
  'the host accepts the suggestion to accept edits',
  'paths outside of the workspace',
  'files that other programs obey are asked about even where edits are accepted',
  'a rule that denies is stronger than one that allows, and than the host',
  'a rule for Edit is a rule for Write',
  'a rule for Edit that denies is a rule for Write',
  'files where edits are accepted',
  'files in the mode plan, without a host that can be asked',
  'files in the mode dontAsk, with a host that can be asked',
  'files in the mode dontAsk, without a host that can be asked',
  'files in the mode bypassPermissions, with a host that can be asked',
  'files in the mode bypassPermissions, without a host that can be asked',
  'files when nobody can be asked',
  'rules of a project that is not trusted',
  'rules of a project that is trusted',
  'rules of the settings that a query gives',
  'the mode that a project starts with',
  'a rule that a host adds for a directory outside',
  'other commands are asked about',
  'commands that reach outside of the workspace',
  'commands that nobody can read are asked about',
  'an allow rule must cover every part of a line',
  'Bash(rm:*) denies each part of a line',
  'Bash(rm *) denies each part of a line',
  'a file that must not be read, and commands',
  'commands where edits are accepted',
  'commands in the mode dontAsk, with a host that can be asked',
  'commands in the mode dontAsk, without a host that can be asked',
  'commands in the mode plan',
  'commands when nobody can be asked',
  'the host allows a command, and the suggested rule for the next ones',
];

export const RUNTIME_DIFFERENCES: readonly RuntimeDifference[] = [
  {
    id: 'retry-reason',
    where: ['messages'],
    seenIn: ['the API is overloaded once'],
    reason: 'The runtime says in words why it tries again.',
    matches: ({ item, path, reference }) =>
      item === 'system api_retry' && path === 'reason' && reference === undefined,
  },
  {
    id: 'not-claude-code',
    where: ['error'],
    seenIn: [
      'the API answers 400',
      'the API answers 401',
      'the API answers 500',
      'a flag that the agent does not know',
      'structured output that never fits',
      'a limit of turns',
      'a limit of cost',
      'an id that is in use',
      'a conversation that was not kept',
      'a conversation that does not exist',
    ],
    cells: IN_MEMORY,
    matches: ({ path, subject }) => path === 'message' && String(subject).startsWith('The embedded runtime '),
    reason: 'There is no process of Claude Code that could be to blame.',
  },
  {
    id: 'own-words',
    where: ['messages', 'model', 'error', 'driven'],
    seenIn: [
      'no callback and no rule',
      'the rule mcp__* does not allow a tool',
      'the mode dontAsk denies without asking',
      'prompts are switched off',
      'the callback denies and interrupts',
      'a subagent whose call the host refuses and interrupts is stopped, and its caller goes on',
      'a hook takes too long',
      'an interrupt during a tool, then a further message',
      'an interrupt during a tool of a query with a string prompt',
      'an interrupt while the host is asked for permission',
      'an interrupt while the model thinks, then a further message',
      'an interrupt of a command, with another one in the background',
      'an interrupt ends the subagents that somebody waits for',
      'a subagent in the background that the host stops',
      'a subagent that the host stops while a call waits for it',
      'structured output',
      'structured output at the second try',
      'structured output that never fits',
      'another permission mode',
      'the API answers 401',
      'the API answers 500',
      'a message after a turn that failed',
      'a turn that fails after one that did not',
      'a hook prevents a compaction on demand',
      'a summary that the model does not give is no failed turn',
      'a request that is too long whatever is done',
      'Glob finds files by their names, oldest first',
      'Grep finds files, lines and counts',
      'Grep shows a page at a time, and refuses what it cannot search for',
      'a skill, one that nobody knows, and those with a head of their own',
      'skills that the host has chosen, and their allowed tools',
      'skills, commands and a style of a plugin',
      'files and commands in a command, and memory below the folder of a file',
      'resources of servers, by both names of the tools',
      'tools for resources that a rule takes away by an earlier name',
    ],
    matches: isInOwnWords,
    reason:
      'The texts of refusals, failures and interrupts are our own; programs should branch on the fields next to them.',
  },
  {
    id: 'own-words-about-commands',
    where: ['messages', 'model'],
    seenIn: [
      'a directory that is kept, and one that is not',
      'calls of commands that do not run',
      'a command with much output',
      'commands that take too long',
      'a command in the background',
      'a background command that ends during the turn',
      'an interrupt of a command, with another one in the background',
      'a long command that the host moves to the background',
    ],
    matches: (finding) =>
      areTexts(finding) && /(^|\.)(content|stderr|summary|tool_use_result(\.message)?)$/.test(finding.path),
    reason: 'What the model is told about a command beside its output, and how a task is summed up.',
  },
  {
    id: 'own-words-about-files',
    where: ['messages', 'model', 'driven'],
    seenIn: ABOUT_FILES,
    matches: isAboutFiles,
    reason: 'What the model is told about a file beside its content, and why a file was not read or changed.',
  },
  {
    id: 'lines-count-from-one',
    where: ['messages', 'model'],
    seenIn: ['Read from line 0'],
    matches: ({ path, subject, reference }) =>
      (/startLine$/.test(path) && subject === 1 && reference === 0) ||
      (/content$/.test(path) &&
        String(subject).startsWith('1\tone') &&
        String(reference).startsWith('0\tone')),
    reason:
      'The first line is line 1, also where the model asks for line 0; Claude Code then calls it line 0.',
  },
  {
    id: 'lines-are-not-joined',
    where: ['messages', 'driven'],
    seenIn: ['Edit takes away the end of a line'],
    matches: ({ path }) => /^tool_use_result\.structuredPatch\[0\]\.(newLines|lines)|^a\.txt$/.test(path),
    reason:
      'A line that is taken away goes with its line end, but the end of a line does not: Claude Code joins it with the next line.',
  },
  {
    id: 'what-is-not-clear-is-refused',
    where: ['messages', 'model', 'driven'],
    seenIn: ['Edit of a text that could be meant in two places'],
    matches: (finding) => consequence(finding) || finding.where === 'driven',
    reason:
      'A text that overlaps itself, or that is found twice once typographic quotes count as straight ones, could be meant in two places. Claude Code changes the first.',
  },
  {
    id: 'notebooks-keep-their-layout',
    where: ['messages', 'driven'],
    seenIn: ['NotebookEdit keeps the layout of the file'],
    matches: ({ path }) => path === 'tool_use_result.updated_file' || path === 'n.ipynb',
    reason:
      'A notebook keeps its indentation and the line end at its end, so that a change is small; Claude Code writes it with its own.',
  },
  {
    id: 'cells-say-what-they-are',
    where: ['messages'],
    seenIn: ['NotebookEdit replaces, inserts and deletes cells', 'NotebookEdit makes another kind of a cell'],
    matches: ({ path, subject, reference }) =>
      path === 'tool_use_result.cell_type' && subject === 'markdown' && reference === 'code',
    reason:
      'The host is told what a cell is; Claude Code says "code" whenever the call does not name a type.',
  },
  {
    id: 'cells-have-the-fields-of-their-type',
    where: ['messages', 'driven'],
    seenIn: ['NotebookEdit makes another kind of a cell'],
    matches: ({ path }) => /^tool_use_result\.(original|updated)_file$|^n\.ipynb$/.test(path),
    reason:
      'A cell that becomes code gets outputs, and one that becomes text loses them, as the format of notebooks wants it.',
  },
  {
    id: 'null-means-left-out',
    where: ['messages', 'model'],
    seenIn: ['a parameter that is null'],
    contradictsCheck: true,
    matches: consequence,
    reason:
      'Models of other vendors send null for parameters that they leave out; Claude Code refuses such a call.',
  },
  {
    id: 'own-words-about-subagents',
    where: ['messages', 'model', 'calls'],
    seenIn: WITH_SUBAGENTS,
    matches: isAboutAgents,
    reason:
      'What an agent is told about those that it has called: that they work or have ended, their reports, and why not.',
  },
  {
    id: 'own-words-about-permissions',
    where: ['messages', 'model', 'calls'],
    seenIn: PERMITTED,
    matches: (finding) =>
      areTexts(finding) &&
      /(^|\.)(content|tool_use_result|message|decision_reason|input\.decisionReason)$/.test(finding.path),
    reason:
      'Why a call is asked about, or refused, is said in our own words; the fields beside them are the same.',
  },
  {
    id: 'own-words-about-questions',
    where: ['messages', 'model'],
    seenIn: [
      'questions of the model',
      'a plan that is approved together with another mode',
      'a question that nobody can be asked',
      'a plan that is approved at the second try',
    ],
    matches: (finding) =>
      areTexts(finding) && /(^|\.)(content|tool_use_result(\.message)?)$/.test(finding.path),
    reason: 'What the model is told about the answers of the user.',
  },
  {
    id: 'own-words-before-a-skill',
    where: ['messages', 'model'],
    seenIn: [
      'a skill, one that nobody knows, and those with a head of their own',
      'skills that the host has chosen, and their allowed tools',
      'skills, commands and a style of a plugin',
      'commands that are typed, known and unknown',
    ],
    matches: (finding) =>
      areTexts(finding) &&
      /content\[\d+\]\.text$/.test(finding.path) &&
      String(finding.subject).replace(/^Files of this skill are in (.*?)\.\n/, '$1\n') ===
        String(finding.reference).replace(/^Base directory for this skill: /, ''),
    reason: 'Where the files of a skill are is said in our own words; the text of the skill is the same.',
  },
  {
    id: 'no-mentions-without-read',
    where: ['model'],
    seenIn: ['a file that is mentioned where the tool Read is taken away'],
    contradictsCheck: true,
    // Reminders are not compared: the check of the scenario tells.
    sometimes: true,
    matches: () => false,
    reason:
      'Whoever takes the tool Read away does not want files to be read: a mention does not get around that. In Claude Code it does.',
  },
  {
    id: 'a-checkout-allows-itself-nothing',
    where: ['messages', 'model'],
    seenIn: ['a command of an untrusted checkout that would allow itself something'],
    contradictsCheck: true,
    // All that follows differs, and is not compared: the check of the scenario tells.
    sometimes: true,
    matches: () => false,
    reason:
      'What a command of a project would allow counts only where the user has trusted the project, like the rules of its settings.',
  },
  {
    id: 'a-checkout-shows-nothing-outside',
    where: ['messages'],
    seenIn: ['a memory file of an untrusted checkout that leads out of it'],
    contradictsCheck: true,
    matches: ({ item, subject, reference }) =>
      item === 'system informational' &&
      reference === undefined &&
      JSON.stringify(subject).includes('leads out of the project'),
    reason:
      "A link in a checkout could lead to a file that is the user's own: it is not followed until the user has trusted the project.",
  },
  {
    id: 'own-words-to-the-official-client',
    where: ['messages', 'model'],
    seenIn: [
      'the callback throws',
      'the callback denies without a message',
      'the callback returns something that is no decision',
      'close() during a tool',
      'abort during a tool',
      'the consumer leaves the loop during a tool',
    ],
    cells: ['official SDK × tenon-runtime'],
    matches: isInOwnWords,
    reason:
      'The same in cases that Tenon as the client prevents: it answers if its callbacks do not, and stops the agent immediately.',
  },
  {
    id: 'own-words-on-stderr',
    where: ['error'],
    seenIn: ['an id that is none'],
    cells: ['Tenon × tenon-runtime', 'Tenon × embedded'],
    matches: isInOwnWords,
    reason: 'The same on stderr, which only Tenon quotes in its errors.',
  },
  {
    id: 'a-useless-rule-is-told',
    where: ['messages'],
    seenIn: ['the rule mcp__* does not allow a tool'],
    matches: ({ item, subject, reference }) =>
      item === 'system informational' &&
      reference === undefined &&
      JSON.stringify(subject).includes('cannot be used'),
    reason: 'A rule that can never match anything is a mistake, and the user should know.',
  },
  {
    id: 'an-ignored-rule-is-told',
    where: ['messages'],
    seenIn: ['rules of a project that is not trusted', 'the mode that a project starts with'],
    matches: ({ item, subject, reference }) =>
      item === 'system informational' &&
      reference === undefined &&
      JSON.stringify(subject).includes('is ignored'),
    reason: 'What a file of the project asks for and does not get is told to the user.',
  },
  {
    id: 'a-project-keeps-nobody-from-being-asked',
    where: ['messages', 'model', 'calls'],
    seenIn: ['the mode that a project starts with'],
    contradictsCheck: true,
    matches: (finding) =>
      consequence(finding) ||
      finding.path === 'permissionMode' ||
      finding.path === 'permission_denials[0]' ||
      (finding.item === 'Write' && finding.reference === undefined),
    reason:
      'A file in the working directory comes from whoever wrote the project: it cannot set a mode in which fewer questions are asked. Claude Code lets it.',
  },
  {
    id: 'nobody-else-judges-commands',
    where: ['messages', 'model', 'calls'],
    seenIn: ['commands in the mode plan'],
    matches: (finding) =>
      consequence(finding) ||
      (finding.item === 'system informational' && finding.subject === undefined) ||
      (finding.item === 'system permission_denied' && finding.subject === undefined) ||
      (finding.item === 'Bash' && finding.reference === undefined),
    reason:
      'In plan mode Claude Code leaves commands to a check on its server, and refuses them where there is none; the runtime asks the host.',
  },
  {
    id: 'prompts-off-is-nobody-to-ask',
    where: ['messages'],
    seenIn: ['prompts are switched off'],
    matches: ({ path }) => /(decision_reason(_type)?|reason_type|non_execution_kind)$/.test(path),
    reason:
      'With prompts disabled nobody can be asked, as without a callback; Claude Code gives an asynchronous agent as the reason.',
  },
  {
    id: 'few-tools-are-not-deferred',
    where: ['model'],
    seenIn: ['a deferred tool that the model calls directly', 'a server object of the MCP library'],
    everywhere: true,
    matches: ({ path, reference }) => /^tools\.mcp__/.test(path) && reference === undefined,
    reason:
      'Up to fifty tools are in the prompt from the start: searching among a few costs a request and saves little.',
  },
  {
    id: 'few-tools-need-no-search',
    where: ['messages', 'model'],
    seenIn: ['a deferred tool that the model looks up first'],
    contradictsCheck: true,
    matches: (finding) =>
      consequence(finding) ||
      /^tools\.mcp__/.test(finding.path) ||
      /^messages\[\d\]\.content\[1\]$/.test(finding.path),
    reason:
      'If nothing is deferred, there is nothing to search for; and the search answers with text, which every server of the Messages API understands, not with references to tools.',
  },
  {
    id: 'found-tools-are-told-in-text',
    where: ['messages', 'model'],
    seenIn: ['a server that is always loaded, beside one with many tools that are not'],
    matches: ({ path, reference }) =>
      (/content$/.test(path) && JSON.stringify(reference).startsWith('[{"type":"tool_reference"')) ||
      path === 'tool_use_result.total_deferred_tools' ||
      (/^messages\[2\]\.content\[1\]$/.test(path) && JSON.stringify(reference).includes('Tool loaded.')),
    reason:
      'The search answers with text, which every server of the Messages API understands, not with references to tools; and fewer tools of the agent itself are left out.',
  },
  {
    id: 'no-schema-after-a-failure',
    where: ['messages', 'model'],
    seenIn: ['all seven events'],
    matches: ({ path, reference }) =>
      /content$/.test(path) && String(reference).includes('input schema was not in your prompt'),
    reason:
      'Claude Code adds the schema to the failure of a deferred tool; here the model has already seen it.',
  },
  {
    id: 'progress-is-shown-to-the-official-client',
    cells: ['official SDK × tenon-runtime'],
    where: ['messages'],
    seenIn: ['a handler sends progress and a notification'],
    matches: ({ item, reference }) => item === 'tool_progress' && reference === undefined,
    reason:
      "A tool's progress reports reach the consumer as `tool_progress`; with Claude Code, Tenon's client shows them.",
  },
  {
    id: 'no-transcript-file',
    where: ['calls'],
    seenIn: ['a hook denies a call'],
    everywhere: true,
    matches: ({ path }) => path === 'input.transcript_path',
    reason: 'Conversations are kept in a store, which need not be a file with a path.',
  },
  {
    id: 'no-transcript-file-of-a-subagent',
    where: ['calls'],
    seenIn: ['hooks around a subagent, and in it'],
    cells: IN_MEMORY,
    matches: ({ path, subject }) =>
      path === 'input.agent_transcript_path' && /\/subagents\/agent-<task-1>\.jsonl$/.test(String(subject)),
    reason:
      'The same of a subagent: the path is the one that it would have in the directory of this process.',
  },
  {
    id: 'a-useless-agent-is-told',
    where: ['messages'],
    seenIn: ['subagents of files'],
    matches: ({ item, subject, reference }) =>
      item === 'system informational' &&
      reference === undefined &&
      JSON.stringify(subject).includes('is left out: its head has no `name`'),
    reason: 'A file that should define an agent and does not is a mistake, and the user should know.',
  },
  {
    id: 'no-settings-files',
    where: ['calls'],
    seenIn: ['the callback allows', 'the callback denies'],
    everywhere: true,
    matches: ({ path, subject, reference }) =>
      path === 'input.suggestions[0].destination' && subject === 'session' && reference === 'localSettings',
    reason: 'The runtime writes no settings files, so it suggests rules for the conversation.',
  },
  {
    id: 'no-policy-note',
    where: ['calls'],
    seenIn: ['the callback allows', 'the callback denies'],
    everywhere: true,
    matches: ({ path, subject }) => path === 'input.serverPolicyAskOnly' && subject === undefined,
    reason:
      'Claude Code adds a flag to the question that its typings do not name; it means nothing in the runtime.',
  },
  {
    id: 'no-saved-copies',
    where: ['messages', 'model'],
    seenIn: ['an image', 'audio', 'a message of several blocks'],
    matches: ({ path, subject, reference }) =>
      /(content|tool_use_result)\[\d\]/.test(path) &&
      (/^\{"type":"text","text":"\[Image: source: /.test(JSON.stringify(reference)) ||
        (/^\[Audio from /.test(String(subject)) && / saved to /.test(String(reference)))),
    reason: 'Claude Code saves images and audio as files and tells the model where; the runtime writes none.',
  },
  {
    id: 'long-results-are-paged',
    where: ['messages', 'model'],
    seenIn: [
      'a result of 200 KB',
      'a result of 1 MB',
      'a long result of a server beside the tools for files',
    ],
    matches: (finding) =>
      consequence(finding) &&
      Array.isArray(finding.subject) &&
      /^(Error: result .* saved to |<persisted-output>)/.test(String(finding.reference)),
    reason:
      'Claude Code writes a long result to a file that the model can read with its file tools, from 50,000 characters on as JSON with the whole text in one line; here it is kept in memory, and the model reads on with `ReadToolResult`, whatever tools it has.',
  },
  {
    id: 'own-words-around-a-summary',
    where: ['messages', 'model'],
    seenIn: [
      ...COMPACTED,
      'a conversation is resumed after its compaction',
      'a conversation is resumed at a message from before its compaction',
    ],
    matches: (finding) =>
      areTexts(finding) &&
      [/text only/i, /They spoke of plums\./].some((words) =>
        [finding.subject, finding.reference].every((text) => words.test(String(text))),
      ),
    reason:
      'A summary is asked for, and handed on to the model, in words of our own; what it says is the same.',
  },
  {
    id: 'own-counts-of-tokens',
    where: ['messages'],
    seenIn: COMPACTED,
    matches: ({ path, subject, reference }) =>
      /^compact_metadata\.(pre|post|cumulative_dropped)_tokens$/.test(path) &&
      typeof subject === 'number' &&
      typeof reference === 'number',
    reason: 'What the API has not counted is a guess, and the system prompts differ in length.',
  },
  {
    id: 'older-messages-are-found',
    where: ['messages', 'model', 'error', 'exit'],
    seenIn: ['a conversation is resumed at a message from before its compaction'],
    contradictsCheck: true,
    matches: ({ where, path }) => path === '' || (where === 'exit' && path === 'code'),
    reason:
      'A message from before a compaction can be gone back to; Claude Code only finds what follows the last one.',
  },
  {
    id: 'shorter-answers',
    where: ['messages'],
    seenIn: ['a conversation that is compacted on demand'],
    everywhere: true,
    matches: ({ path, subject }) => /^modelUsage\..*\.maxOutputTokens$/.test(path) && subject === 16_384,
    reason:
      'An answer has up to 16,384 tokens unless `embedded({ maxTokens })` says otherwise; many models have no more.',
  },
  {
    id: 'hooks-know-the-mode',
    where: ['calls'],
    seenIn: [
      'a conversation that is cleared',
      'a new session inside a conversation',
      'commands of settings at the beginning and the end of sessions',
    ],
    matches: ({ path, subject, reference }) =>
      /^input\.(permission_mode|prompt_id|model)$/.test(path) &&
      subject !== undefined &&
      reference === undefined,
    reason:
      'Every hook is told the permission mode, the prompt and the model; in Claude Code those around a compaction or a new session are not.',
  },
  {
    id: 'texts-beside-structured-content',
    where: ['messages', 'model'],
    seenIn: ['structured content'],
    cells: ['official SDK × tenon-runtime'],
    matches: consequence,
    reason: 'The texts of a result with structured content are kept; Claude Code drops them.',
  },
  {
    id: 'a-hook-that-throws-blocks',
    where: ['messages', 'model', 'calls'],
    seenIn: ['a hook throws', 'a hook throws where that must not pass'],
    cells: ['official SDK × tenon-runtime'],
    matches: (finding) =>
      consequence(finding) ||
      (finding.item === 'system informational' && finding.path === 'content' && areTexts(finding)) ||
      (finding.item === 'result success' && finding.path === 'permission_denials[0]') ||
      (finding.item === 'add' && finding.subject === undefined),
    reason: 'A broken guard must not let everything through: the tool is not called.',
  },
  {
    id: 'session-hooks-are-called',
    where: ['calls'],
    seenIn: ['all seven events', 'a new session inside a conversation'],
    contradictsCheck: true,
    matches: ({ item, reference }) => /^Session(Start|End)$/.test(item) && reference === undefined,
    reason:
      'SessionStart and SessionEnd are called when a conversation starts and ends; Claude Code calls them only on /clear.',
  },
  {
    id: 'the-last-session-ends-too',
    where: ['calls'],
    seenIn: ['a conversation that is cleared'],
    cells: ['Tenon × tenon-runtime', 'Tenon × embedded'],
    matches: ({ item, reference }) => item === 'SessionEnd' && reference === undefined,
    reason:
      'SessionEnd is also called when the program ends; the official client has closed its input by then.',
  },
  {
    id: 'an-empty-answer-of-a-hook',
    where: ['messages'],
    seenIn: ['a hook returns nothing'],
    cells: ['official SDK × tenon-runtime'],
    matches: ({ item, subject }) => item === 'system informational' && subject === undefined,
    reason: 'A hook that answers nothing has no effect; Claude Code reports it as a failure.',
  },
  {
    id: 'waiting-messages-are-counted',
    where: ['messages'],
    seenIn: [
      'a stream of two messages with ids',
      'a message while the model answers gets a turn of its own',
      'an agent that leads the conversation begins it',
    ],
    matches: ({ item, path, subject, reference }) =>
      item === 'result success' && path === 'queued_turn_count' && subject === 1 && reference === 0,
    reason: 'The field says how many messages are waiting; Claude Code says 0 even if there is one.',
  },
  {
    id: 'interrupted-before-the-end-of-the-answer',
    where: ['messages'],
    seenIn: [
      'an interrupt during a tool, then a further message',
      'an interrupt during a tool of a query with a string prompt',
      'an interrupt while the host is asked for permission',
      'the callback denies and interrupts',
      'an interrupt ends the subagents that somebody waits for',
      'an interrupt ends subagents in the background too',
      'a subagent in the background that the host stops',
      'a subagent that the host stops while a call waits for it',
    ],
    sometimes: true,
    matches: ({ item, path, subject, reference }) =>
      item.startsWith('result') &&
      ((path === 'stop_reason' && subject === null) ||
        (/^(usage\.output_tokens|modelUsage\..*\.outputTokens)$/.test(path) &&
          Number(subject) < Number(reference))),
    reason:
      'In one process, an interrupt can arrive before the last event of an answer, whose tokens are then unknown.',
  },
  {
    id: 'an-interrupted-question-is-no-denial',
    where: ['messages'],
    seenIn: ['an interrupt while the host is asked for permission'],
    matches: ({ path, subject }) => path === 'permission_denials[0]' && subject === undefined,
    reason: 'Nobody denied anything: the question was withdrawn.',
  },
  {
    id: 'an-answer-without-structure-is-an-error',
    where: ['messages', 'model', 'error', 'exit'],
    seenIn: ['structured output that the model forgets'],
    contradictsCheck: true,
    matches: (finding) =>
      finding.path === '' ||
      isInOwnWords(finding) ||
      (finding.where === 'messages' && finding.path === 'message.id') ||
      (finding.where === 'model' && /StructuredOutput/.test(String(finding.reference))) ||
      (finding.where === 'exit' && finding.path === 'code'),
    reason:
      'The model is reminded; if it never provides the structure, the result is an error rather than a success without it.',
  },
  {
    id: 'all-tokens-are-counted',
    where: ['messages'],
    seenIn: ['structured output that never fits', 'a limit of cost'],
    matches: ({ path, subject, reference }) =>
      /^usage\.(input|output)_tokens$/.test(path) && Number(subject) > Number(reference),
    reason: 'The tokens of the last answer before a limit count too.',
  },
  {
    id: 'usage-since-the-start',
    where: ['messages'],
    seenIn: [
      'a conversation is resumed',
      'the latest conversation is continued',
      'a conversation is forked',
      'a conversation is resumed and told again',
      'a conversation is resumed after its compaction',
      'files as they were in a conversation that is resumed',
    ],
    matches: ({ path, subject, reference }) =>
      /^modelUsage\..*\.(input|output)Tokens$/.test(path) && Number(subject) < Number(reference),
    reason: 'What an earlier run of the conversation used is not counted again.',
  },
  {
    id: 'bad-requests-have-a-name',
    where: ['messages'],
    seenIn: ['the API answers 400'],
    matches: ({ item, path, subject }) =>
      item === 'assistant text' && path === 'error' && subject === 'invalid_request',
    reason: 'A request that the API rejects is `invalid_request`, not `unknown`.',
  },
  {
    id: 'no-signals',
    where: ['exit'],
    seenIn: [
      'close() during a tool',
      'close() while the model answers',
      'abort during a tool',
      'the consumer leaves the loop during a tool',
      'abort before the query starts',
    ],
    cells: IN_MEMORY,
    matches: ({ path }) => path === 'code' || path === 'signal',
    reason: 'An agent that is not a process does not end by a signal.',
  },
  {
    id: 'leaves-before-the-signal',
    where: ['exit'],
    seenIn: [
      'close() during a tool',
      'close() while the model answers',
      'abort during a tool',
      'the consumer leaves the loop during a tool',
      'abort before the query starts',
    ],
    cells: ['official SDK × tenon-runtime'],
    sometimes: true,
    matches: ({ path, subject }) =>
      (path === 'code' && subject === 0) || (path === 'signal' && subject === null),
    reason:
      'The official SDK sends a signal to an agent that is slow to exit; the runtime may have exited by itself by then.',
  },
  {
    id: 'a-call-that-ran-has-its-result',
    where: ['messages'],
    seenIn: ['a limit of cost'],
    matches: ({ item, path }) =>
      (item === 'user tool_result' && path === '') ||
      (item === 'result error_max_budget_usd' && path === 'num_turns'),
    reason:
      'The tool ran while the answer was still streaming, before its cost was known, so its result is reported.',
  },
  {
    id: 'servers-connect-later',
    where: ['driven'],
    seenIn: ['another set of servers for the next turn'],
    matches: ({ path }) => /^set\.value\.(added|errors)/.test(path),
    reason: 'The answer does not wait for the new servers; their status shows how they are doing.',
  },
  {
    id: 'status-says-more',
    where: ['driven'],
    seenIn: ['the state of an in-process server, switched off and on'],
    matches: ({ path, reference }) =>
      /\.value\[0\]\.(since|attempts|serverInfo)$/.test(path) && reference === undefined,
    reason:
      'A status says since when it holds and after how many attempts, and identifies the server even while it is disabled.',
  },
  {
    id: 'removed-tools-go',
    where: ['model'],
    seenIn: ['another set of servers for the next turn', 'no servers any more'],
    matches: ({ path, subject }) => path === 'tools.mcp__calc__add' && subject === undefined,
    reason: 'The tools of a removed server are no longer offered.',
  },
];
