/**
 * Every difference between Tenon and the official SDK that the matrix may find, each with its reason. What is not on
 * this list fails the scenario, and so does an entry that one of its scenarios does not show.
 */
import type { Finding } from './support/compare.js';
import type { Difference } from './support/judge.js';

const ONE_CALL = 'one call of an in-process tool';

const OUR_ERRORS = /^(Tenon|Result|Process|Control|Option|Abort)Error$/;

const INHERITED = /^(PATH|SHELL|LANG|LC_\w+|USER|LOGNAME|TZ|TMP|TEMP)$/;

/** What the model and the consumer see when the answer to a call, or to a question about it, is another one. */
function consequence({ item, path }: Finding): boolean {
  return (
    (item === 'user tool_result' && /^(message\.content|tool_use_result|tool_result_meta)/.test(path)) ||
    (item === 'request' && /^messages\[\d+\]\.content/.test(path))
  );
}

/** Tenon lets the agent shake hands with a server instead of giving the answers in `initialize`. */
function isHandshake({ item, path, subject, reference }: Finding): boolean {
  if (path === 'request.sdkMcpServerManifests') return subject === undefined;
  const answer =
    /^control_response mcp_message (calc|rich|plain) (initialize|notifications\/initialized|tools\/list)$/;
  return answer.test(item) && reference === undefined;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    id: 'sdk-version-variable',
    where: ['env'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ path, subject }) => path === 'CLAUDE_AGENT_SDK_VERSION' && subject === undefined,
    reason: 'CLAUDE_AGENT_SDK_VERSION names a release of the official SDK, which Tenon is not.',
  },
  {
    id: 'user-agent',
    where: ['model'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ path, reference }) => path === 'user-agent' && String(reference).includes('agent-sdk/'),
    reason: 'The CLI puts CLAUDE_AGENT_SDK_VERSION, which Tenon does not set, into its user agent.',
  },
  {
    id: 'progress-is-shown',
    where: ['messages'],
    seenIn: ['a handler sends progress and a notification'],
    matches: ({ item, reference }) => item === 'tool_progress' && reference === undefined,
    reason: "A tool's progress reports reach the consumer as `tool_progress`; the CLI keeps them to itself.",
  },
  {
    id: 'inherited-variables',
    where: ['env'],
    seenIn: ['an environment without PATH'],
    everywhere: true,
    matches: ({ path, reference }) => INHERITED.test(path) && reference === undefined,
    reason: 'No program runs without them, so Tenon inherits them unless options.env names them.',
  },
  {
    id: 'a-hook-that-fails-denies',
    where: ['stdin', 'messages', 'model', 'calls'],
    seenIn: ['a hook throws', 'a hook throws where that must not pass'],
    matches: (finding) =>
      consequence(finding) ||
      finding.item.startsWith('control_response hook_callback') ||
      finding.item.startsWith('control_response mcp_message calc tools/call') ||
      finding.item === 'system informational' ||
      (finding.item === 'result success' && finding.path.startsWith('permission_denials')) ||
      (finding.item === 'add' && finding.subject === undefined),
    reason:
      'A broken guard must not let everything through: Tenon answers with a denial, where the official SDK reports an error and the CLI runs the tool.',
  },
  {
    id: 'request-ids',
    where: ['stdin'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ item, path }) => item.startsWith('control_request') && path === 'request_id',
    reason:
      'Each client chooses its own ids for control requests; ours are numbered, which is easier to read in a log.',
  },
  {
    id: 'logging-capability',
    where: ['stdin'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ path }) => path.endsWith('capabilities.logging'),
    reason: 'Handlers can log (context.log), so the server announces it.',
  },
  {
    id: 'no-task-support',
    where: ['stdin'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ path, subject }) => /\.tools\[\d+\]\.execution$/.test(path) && subject === undefined,
    reason: 'The official SDK sends the default of an experimental MCP field; omitting it means the same.',
  },
  {
    id: 'result-final',
    where: ['messages'],
    seenIn: [ONE_CALL],
    everywhere: true,
    matches: ({ item, path, reference }) =>
      item.startsWith('result') && path === 'final' && reference === undefined,
    reason: 'Tenon says whether another result will follow.',
  },
  {
    id: 'result-failure',
    where: ['messages'],
    seenIn: ['the callback denies and interrupts'],
    everywhere: true,
    matches: ({ item, path, reference }) =>
      item.startsWith('result') && path === 'failure' && reference === undefined,
    reason: 'Tenon says in one field what went wrong and whether to retry.',
  },
  {
    id: 'typed-errors',
    where: ['error', 'driven'],
    seenIn: ['the callback denies and interrupts'],
    everywhere: true,
    matches: ({ path, subject, reference }) =>
      (/(^|\.)name$/.test(path) && OUR_ERRORS.test(String(subject)) && reference === 'Error') ||
      (/(^|\.)code$/.test(path) && reference === undefined),
    reason: 'Errors have a class and a code to branch on; an error after a failed result carries it.',
  },
  {
    id: 'foreign-server-handshake',
    where: ['stdin'],
    seenIn: [
      'a server object of the MCP library',
      'resources of servers, by both names of the tools',
      'tools for resources that a rule takes away by an earlier name',
    ],
    matches: isHandshake,
    reason:
      "The agent itself queries a foreign server object, so query() need not wait for the user's object.",
  },
  {
    id: 'plain-values',
    where: ['stdin', 'messages', 'model'],
    seenIn: ['a handler that returns a plain string', 'a handler that returns nothing'],
    matches: (finding) =>
      consequence(finding) || /^response\.response\.mcp_response\.(result|error)$/.test(finding.path),
    reason: 'A handler may return a plain value; the official SDK turns it into a JSON-RPC error.',
  },
  {
    id: 'validation-text',
    where: ['stdin', 'messages', 'model'],
    seenIn: ['a call whose arguments are refused by the schema'],
    matches: (finding) =>
      consequence(finding) || finding.path === 'response.response.mcp_response.result.content[0].text',
    reason: 'One line per bad argument is shorter for the model than a dump of validation issues.',
  },
  {
    id: 'allow-repeats-input',
    where: ['stdin'],
    seenIn: ['the callback allows without repeating the input'],
    matches: ({ path, reference }) => path === 'response.response.updatedInput' && reference === undefined,
    reason: 'CLIs before 2.1.240 reject an allow without updatedInput, so Tenon always sends it.',
  },
  {
    id: 'throw-is-deny',
    where: ['stdin', 'messages', 'model'],
    seenIn: [
      'the callback throws',
      'the callback returns something that is no decision',
      'the callback denies without a message',
    ],
    matches: (finding) =>
      consequence(finding) ||
      (finding.item.startsWith('control_response can_use_tool') && finding.path !== ''),
    reason:
      'Anything but a clear allow becomes a valid denial, with a text that tells the developer what was wrong.',
  },
  {
    id: 'empty-hook-answer',
    where: ['stdin', 'messages'],
    seenIn: ['a hook returns nothing'],
    matches: ({ item, path, subject }) =>
      (item.startsWith('control_response hook_callback') && path === 'response.response') ||
      (item === 'system informational' && subject === undefined),
    reason:
      'A hook that returns nothing has no effect; with the official SDK the agent reports it as a failure.',
  },
  {
    id: 'acknowledgement-without-id',
    where: ['stdin'],
    seenIn: ['an interrupt during a tool, then a further message'],
    everywhere: true,
    matches: ({ item, path, subject, reference }) =>
      /^control_response mcp_message \S+ notifications\//.test(item) &&
      path === 'response.response.mcp_response.id' &&
      subject === undefined &&
      reference === 0,
    reason: 'The id 0 in an acknowledgement could belong to an open request.',
  },
  {
    id: 'no-empty-prompt-beside-an-agent',
    where: ['stdin'],
    seenIn: ['an agent that leads the conversation', 'an agent that leads the conversation begins it'],
    matches: ({ item, path, subject }) =>
      item === 'control_request initialize' && path === 'request.systemPrompt' && subject === undefined,
    reason:
      'An empty prompt would replace that of an agent which a file defines; the official SDK sends one.',
  },
  {
    id: 'cancelled-call-answered',
    where: ['stdin'],
    seenIn: [
      'an interrupt during a tool, then a further message',
      'an interrupt during a tool of a query with a string prompt',
      'a tool that takes longer than its server allows',
      'an interrupt ends the subagents that somebody waits for',
      'an interrupt ends subagents in the background too',
      'a subagent in the background that the host stops',
      'a subagent in the background that the main agent stops',
      'a subagent that the host stops while a call waits for it',
    ],
    matches: ({ item, subject, reference }) =>
      / tools\/call /.test(item) && reference === undefined && JSON.stringify(subject).includes('-32800'),
    reason: 'Every request of the agent is answered exactly once, including a cancelled call.',
  },
  {
    id: 'withdrawn-request-unanswered',
    where: ['stdin'],
    seenIn: ['an interrupt while the host is asked for permission'],
    matches: ({ item, subject }) => item.startsWith('control_response can_use_tool') && subject === undefined,
    reason: 'A request that the agent has withdrawn needs no answer; the official SDK sends a late one.',
  },
  {
    id: 'secrets-off-the-command-line',
    where: ['argv', 'env'],
    everywhere: true,
    seenIn: ['a server over stdio', 'a server over HTTP', 'a stdio server with an environment of its own'],
    matches: ({ where, path, subject }) => {
      if (where === 'env') return path.startsWith('TENON_MCP_VALUE_');
      // A variable in the value's place, and the blanks that keep it from other servers.
      const text = typeof subject === 'string' ? subject : JSON.stringify(subject ?? null);
      return (
        /^mcpServers\..*(\.args\[\d+\]|\.url|\.env\b.*|\.headers\..*)$/.test(path) &&
        /^(\$\{TENON_MCP_VALUE_\d+\}|\{("TENON_MCP_VALUE_\d+":"",?)+\}|)$/.test(text)
      );
    },
    reason:
      'Everyone on the machine can read a command line, so what configures a server is passed in another way.',
  },
  {
    id: 'input-failure',
    where: ['error'],
    seenIn: ['a stream that throws'],
    matches: ({ path }) => path === 'message' || path === 'aborted',
    reason: 'The error says what the stream threw instead of "Operation aborted".',
  },
  {
    id: 'manifests-again',
    where: ['stdin'],
    seenIn: ['initialize a second time'],
    matches: ({ path, reference }) => path === 'request.sdkMcpServerManifests' && reference === undefined,
    reason:
      'A second initialize repeats the first completely, so an agent that lost its state needs no handshake.',
  },
  {
    id: 'after-the-end',
    where: ['driven'],
    seenIn: ['methods after the end'],
    matches: ({ path }) => /^(interrupt|setModel)\.threw\.message$/.test(path),
    reason: 'The text says that the agent has exited, not that an answer is missing.',
  },
  {
    id: 'status-fields',
    where: ['driven'],
    seenIn: ['the state of an in-process server, switched off and on'],
    everywhere: true,
    matches: ({ path, reference }) => /\]\.(since|attempts)$/.test(path) && reference === undefined,
    reason: "A server's status says since when it holds, and after how many attempts.",
  },
  {
    id: 'schema-in-initialize-only',
    where: ['argv'],
    seenIn: [
      'structured output',
      'structured output at the second try',
      'structured output that never fits',
      'structured output that the model forgets',
    ],
    matches: ({ item, subject }) => item === '--json-schema' && subject === undefined,
    reason: 'A schema can be long; `initialize` carries it, and the flag would only repeat it.',
  },
  {
    id: 'exit-errors-say-why',
    where: ['error'],
    seenIn: ['an id that is in use', 'an id that is none', 'a flag that the agent does not know'],
    everywhere: true,
    matches: ({ path, subject, reference }) =>
      path === 'message' && String(subject).startsWith(`${reference}. stderr: `),
    reason: 'The error quotes stderr even if the user starts the process, and names the remedy.',
  },
  {
    id: 'stop-at-once',
    where: ['messages', 'model', 'exit'],
    seenIn: ['close() during a tool', 'abort during a tool', 'the consumer leaves the loop during a tool'],
    matches: ({ where, item, path, subject, reference }) =>
      (where === 'exit' && path === 'code' && subject === 143 && reference === 0) ||
      (where === 'model' && path === '' && subject === undefined) ||
      (where === 'messages' && path === '' && subject === undefined && item !== 'system init'),
    reason:
      'The official SDK only ends the input, and the agent continues: it asks the model once more, and after an abort the ' +
      'consumer still gets messages and a result. Tenon stops it in the middle of the turn.',
  },
  {
    id: 'aborted-before-start',
    where: ['error', 'exit', 'stdin', 'argv', 'env'],
    seenIn: ['abort before the query starts'],
    matches: ({ where, subject }) => where === 'error' || where === 'exit' || subject === undefined,
    reason:
      'The official SDK starts a process and then throws from query(); Tenon starts nothing and throws from the loop.',
  },
  {
    id: 'signal-errors-say-more',
    where: ['error', 'driven'],
    seenIn: ['the agent is killed during a tool', 'a control request that the agent cannot answer any more'],
    matches: ({ path, subject }) =>
      /(^|\.)message$/.test(path) &&
      String(subject).startsWith('Claude Code process terminated by signal SIGKILL.'),
    reason: 'The error adds the usual cause and the end of stderr, and pending requests fail with it too.',
  },
  {
    id: 'exit-errors-say-more',
    where: ['error'],
    seenIn: ['the agent is told to stop while commands run'],
    matches: ({ path, subject, reference }) =>
      path === 'message' && String(subject).startsWith(`${reference}.`),
    reason: 'The error adds the end of stderr, or that there was nothing.',
  },
  {
    id: 'start-errors-say-why',
    where: ['error'],
    seenIn: [
      'a flag that the agent does not know, started by the client',
      'an executable that does not exist',
      'a working directory that does not exist',
    ],
    matches: ({ path }) => /^(name|code|message)$/.test(path),
    reason:
      'Each cause has its own code and text; the official SDK mistakes a missing directory for a bad binary.',
  },
  {
    id: 'zod-3-handshake',
    where: ['stdin', 'model'],
    seenIn: ['a schema of zod 3'],
    matches: (finding) =>
      isHandshake(finding) ||
      (finding.path.endsWith('.additionalProperties') && finding.subject === undefined),
    reason:
      'The converter for zod 3 is loaded only when a tool needs it, so the agent asks for the list; arguments that the ' +
      'schema does not name are not forbidden to the model, as with zod 4.',
  },
  {
    id: 'requests-of-servers-answered-here',
    where: ['stdin', 'calls'],
    seenIn: ['a handler asks the agent for something that it does not have'],
    matches: ({ item, path, subject }) =>
      item === 'wish' ? path.startsWith('input.threw.') : / ?mcp_message/.test(item) && subject === undefined,
    reason:
      'The CLI cannot serve requests of an in-process server, so Tenon does (onElicitation) or refuses without a round trip.',
  },
  {
    id: 'structured-content-as-text',
    where: ['stdin', 'messages', 'model'],
    seenIn: ['structured content'],
    matches: (finding) =>
      consequence(finding) || /^response\.response\.mcp_response\.result\./.test(finding.path),
    reason:
      'The CLI drops the texts of a result with structured content, so Tenon sends that content as an additional text.',
  },
];
