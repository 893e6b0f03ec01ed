/**
 * Every difference between Tenon's runtime and the Claude Code CLI that the matrix may find, each with its reason. The
 * client is the same on both sides. What is not on this list fails the scenario, and so does an entry that one of its
 * scenarios does not show in one of its cells.
 */
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

/** Where the agent speaks for itself. */
const WORDS =
  /(^|\.)(message|content|content\[0\]\.text|tool_use_result|errors\[0\]|result|description|failure\.message)$/;

export const RUNTIME_DIFFERENCES: readonly RuntimeDifference[] = [
  {
    id: 'own-words',
    where: ['messages', 'model', 'error', 'driven'],
    seenIn: [
      'no callback and no rule',
      'the rule mcp__* does not allow a tool',
      'the mode dontAsk denies without asking',
      'prompts are switched off',
      'the callback denies and interrupts',
      'a hook takes too long',
      'a hook throws where that must not pass',
      'an interrupt during a tool, then a further message',
      'an interrupt during a tool of a query with a string prompt',
      'an interrupt while the host is asked for permission',
      'an interrupt while the model thinks, then a further message',
      'structured output',
      'structured output at the second try',
      'structured output that never fits',
      'another permission mode',
      'the API answers 401',
      'the API answers 500',
      'a message after a turn that failed',
      'a turn that fails after one that did not',
    ],
    matches: (finding) => areTexts(finding) && WORDS.test(finding.path),
    reason:
      'What the agent itself says, in refusals, failures and interrupts, is said in words of our own; programs should branch on the fields beside them.',
  },
];
