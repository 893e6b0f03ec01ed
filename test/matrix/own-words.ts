/** What the agents say in their own words: a text of the runtime, and how one of Claude Code's with the same meaning is known. */
import type { Finding } from './support/compare.js';

/** Where the agent speaks for itself. */
const PLACES =
  /(^|\.)(message|content|content\[0\]\.text|tool_use_result|(plugin_)?errors\[0\](\.message)?|tool_use_result\.error|result|description|failure\.message|compact_error)$/;

const PAIRS: readonly (readonly [ours: RegExp, theirs: RegExp])[] = [
  // Permissions.
  [/has not been granted\.$/, /haven't granted|no approval surface/],
  [/nobody is asked in "dontAsk" mode\.$/, /don't ask mode/],
  [/request failed: the database is down$/, /request failed: Error: the database is down$/],
  [/no valid permission decision: /, /invalid permission result/],
  [
    /not started with allowDangerouslySkipPermissions\.$/,
    /not launched with --dangerously-skip-permissions$/,
  ],
  [/^Invalid permission mode: nonsense$/, /must be one of/],
  // Calls that were cut short.
  [/^The call was (stopped before it had a result|denied, and the turn ended)/, /doesn't want to proceed/],
  [/The call was interrupted before its result came\./, /interrupted before a result/],
  [/The turn was interrupted\.$/, /\[ede_diagnostic\]/],
  [/hook did not respond within 1 s/, /hook did not respond before its timeout/],
  // Structured output.
  [/^Give the final answer in the structure/, /final response in the requested structured format/],
  [/does not fit the schema: answer must be number\./, /required schema: \/answer: must be number$/],
  [/No answer matched the schema in 5 attempts\.$/, /after 5 attempts/],
  // Compaction that a hook prevents.
  [/hook prevented (it|the compaction): not now$/, /blocked by PreCompact hook/],
  [/No plums today\.$/, /^Error during compaction: .*No plums today\.$/],
  [/API Error: 400 prompt is too long: /, /Prompt is too long · /],
  // Skills.
  [/^Loading the skill [\w:]+: its text follows\.$/, /^Launching skill: [\w:]+$/],
  [
    /^(<tool_use_error>|Error: )Only the user can use the skill hidden, by \/hidden /,
    /^(<tool_use_error>|Error: )Skill hidden cannot be used with Skill tool due to disable-model-invocation\. /,
  ],
  [
    /^(Error: )?Permission to use Skill has not been granted\.$/,
    /^(Error: )?Execute skill: mighty\. .* Skill\(mighty\) /,
  ],
  [
    /^(<tool_use_error>)?InputValidationError: Skill needs `skill`, the name of a skill\./,
    /^(<tool_use_error>)?InputValidationError: (Skill failed .*`skill` is missing|\[.*"skill")/s,
  ],
  [
    /^(<tool_use_error>|Error: )The skill other is not among those of this conversation\./,
    /^(<tool_use_error>|Error: )Skill other is not in this session's skills allowlist/,
  ],
  [
    /^"(bad|act)" could not be filled in: !`touch \w+\.txt` was not run or failed: no rule allows it/,
    /^Shell command permission check failed for pattern "!`touch \w+\.txt`": /,
  ],
  [/^There is no directory <cwd>\/nowhere$/, /^Path not found: <cwd>\/nowhere$/],
  // Resources of servers.
  [
    /^(Error: )?There is no server "nobody"\. There are: rich, plain\.$/,
    /^(Error: )?Server "nobody" not found\. Available servers: /,
  ],
  [
    /^(Error: )?The server "plain" has no resources\.$/,
    /^(Error: )?Server "plain" does not support resources$/,
  ],
  [/^There are no resources\.$/, /^No resources found\. /],
  [
    /^There is no resource config:\/\/none at the server "rich" any more\. /,
    /^Resource not found: config:\/\/none /,
  ],
  [
    /^(<tool_use_error>)?InputValidationError: ReadMcpResourceTool needs `uri`, a text\./,
    /^(<tool_use_error>)?InputValidationError: (ReadMcpResourceTool failed .*`uri` is missing|\[.*"uri")/s,
  ],
  [
    /^(<tool_use_error>)?Error: No such tool available: (List|Read)McpResources?Tool(<\/tool_use_error>)?$/,
    /^(<tool_use_error>)?Error: No such tool available: (List|Read)McpResources?Tool\. .* is disabled for this session/,
  ],
  // Searches.
  [/^Found \d+ files? \(of \d+; /, /^Found \d+ files? (limit|offset)/],
  [/^Nothing is left at this offset/, /^No entries at this offset/],
  [/\n\n\(of \d+ lines?; (limit|offset)/, /\n\n\[Showing results with pagination/],
  [/\n\n\(\d+ match(es)? in \d+ files?/, /\n\nFound \d+ total occurrences? across/],
  [/`head_limit` cannot be less than 0/, /head_limit must be a whole number of 0 or more/],
  [/: `offset` must be of type integer/, /offset must be a whole number/],
  [/InputValidationError: Grep: /, /InputValidationError: /],
  [/^(Error: )?The search was refused: /, /^(Error: )?Search failed/],
  [/^(Error: )?There is no (directory )?"nowhere"/, /does not exist: .*nowhere/],
  [/^(Error: )?"a\.ts" is not a directory/, /Path is not a directory/],
  [/\n\(These are 100 of \d+ files\./, /\n\(.*\)$/],
  // The API.
  [/API Error: 401 who are you\?$/, /Failed to authenticate\. API Error: 401 who are you\?$/],
  [/API Error: 500 something broke$/, /API Error: 500 something broke\. /],
  // The command line.
  [/Invalid session ID: "xyz" is not a UUID\.$/, /Invalid session ID\. /],
];

/** Both say the same thing, in a place for words. */
export function isInOwnWords({ path, subject, reference }: Finding): boolean {
  return (
    typeof subject === 'string' &&
    typeof reference === 'string' &&
    PLACES.test(path) &&
    PAIRS.some(([ours, theirs]) => ours.test(subject) && theirs.test(reference))
  );
}

const ABOUT_AGENTS: readonly (readonly [ours: RegExp, theirs: RegExp])[] = [
  [/What the agent reports follows, indented\./, /\[Subagent hand-back\]/],
  [
    /^\[Tools that it has used: (.*)\]\n$/,
    /^<tools-used-before-summary>(.*)<\/tools-used-before-summary>\n$/,
  ],
  [/^(?:\[Tools .*\]\n)?\[It was stopped after 1 turn, its limit/, /this agent stopped at its 1-turn limit/],
  [/^The agent works in the background\./, /^Async agent launched successfully\./],
  [
    /The agent has ended early: API Error: 400 the model is on fire$/,
    /terminated early due to an API error: API Error: 400 the model is on fire/,
  ],
  [/No such tool available: (\w+)(?=<|$)/, /No such tool available: (\w+)\./],
  [/^(?:Error: )?Permission to use Bash has not been granted\.$/, / needs approval\. The path is inside/],
  [/There is no agent "(.*)"\. The agents are: /, /Agent type '(.*)' not found\. Available agents: /],
  [
    /The agent "(.*)" is denied by the rule "(.*)"\.$/,
    /Agent type '(.*)' has been denied by permission rule '(.*)' from/,
  ],
  [/InputValidationError: Agent: the parameter `description` is missing/, /InputValidationError: /],
];

/** The same of what an agent is told about those that it has called, and of its host. */
export function isAboutAgents({ path, subject, reference }: Finding): boolean {
  if (typeof subject !== 'string' || typeof reference !== 'string') return false;
  if (subject.startsWith('<task-notification>'))
    return subject === reference.replace(/<note>.*<\/note>\n/s, '');
  return (
    /(content|text|summary|error|message|tool_use_result)$/.test(path) &&
    ABOUT_AGENTS.some(([ours, theirs]) => {
      const [, ...mine] = ours.exec(subject) ?? [];
      const [, ...said] = theirs.exec(reference) ?? [];
      return ours.test(subject) && theirs.test(reference) && mine.join() === said.join();
    })
  );
}
