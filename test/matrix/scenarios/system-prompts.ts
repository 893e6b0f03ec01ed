/** What the model is told before anything is said: a prompt of the program, or that of the agent. */
import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import { text } from '../../../src/testing/index.js';
import { withFiles } from '../support/known-files.js';
import type { Outcome, Scenario } from '../support/scenario.js';

const STYLE = { '.claude/output-styles/pirate.md': '---\nname: Pirate\ndescription: Arr\n---\nPIRATE WORDS' };

/** Claude Code puts its name and its account before every prompt. */
const INTRODUCTION = /^x-anthropic-billing-header|^You are (Claude Code|a Claude agent), /;

/** The parts of the system prompt, without what is told of the machine. */
function promptOf({ requests }: Outcome): string {
  const parts = requests[0]?.body.system ?? [];
  const texts = typeof parts === 'string' ? [parts] : parts.map((part) => String(part.text));
  return texts
    .filter((part) => !INTRODUCTION.test(part) && !part.includes('Working directory: '))
    .join('\n\n');
}

const directoryOf = ({ aliases }: Outcome): string =>
  aliases.find(([, alias]) => alias === '<cwd>')?.[0] ?? '';

function prompted(
  name: string,
  options: Options,
  check: (prompt: string, outcome: Outcome) => void,
): Scenario {
  return {
    name,
    cites: 'protocol 9, R53',
    script: [text('Hello.')],
    options: withFiles({ ...STYLE, 'CLAUDE.md': 'MEMORY WORDS' }, { tools: ['Read', 'Bash'], ...options }),
    check: (outcome) => {
      const request = JSON.stringify(outcome.requests[0]?.body);
      // Whatever the prompt is, the agent knows where it works and what the project says.
      expect(request).toContain('MEMORY WORDS');
      expect(request).toContain(directoryOf(outcome));
      check(promptOf(outcome), outcome);
    },
  };
}

const preset = { type: 'preset', preset: 'claude_code' } as const;

export const systemPrompts: readonly Scenario[] = [
  prompted('no system prompt', {}, (prompt) => expect(prompt).toBe('')),
  prompted('a system prompt that is a text', { systemPrompt: 'ONLY WORDS' }, (prompt) =>
    expect(prompt).toBe('ONLY WORDS'),
  ),
  prompted('a system prompt that is a list', { systemPrompt: ['FIRST WORDS', 'SECOND WORDS'] }, (prompt) =>
    expect(prompt).toBe('FIRST WORDS\n\nSECOND WORDS'),
  ),
  prompted(
    'a system prompt of which a part changes',
    { systemPrompt: ['FIXED WORDS', '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__', 'CHANGING WORDS'] },
    (prompt) => expect(prompt).toBe('FIXED WORDS\n\nCHANGING WORDS'),
  ),
  prompted('the preset prompt', { systemPrompt: preset }, (prompt) =>
    expect(prompt.length).toBeGreaterThan(500),
  ),
  prompted(
    'the preset prompt, and something appended',
    { systemPrompt: { ...preset, append: 'APPENDED WORDS' } },
    (prompt) => {
      expect(prompt.length).toBeGreaterThan(500);
      expect(prompt).toContain('APPENDED WORDS');
    },
  ),
  prompted(
    'the preset prompt without what changes from machine to machine',
    { systemPrompt: { ...preset, append: 'APPENDED WORDS', excludeDynamicSections: true } },
    (prompt, outcome) => {
      expect(prompt).toContain('APPENDED WORDS');
      expect(JSON.stringify(outcome.requests[0]?.body.system)).not.toContain(directoryOf(outcome));
    },
  ),
  prompted(
    'a style stands behind a prompt of the program',
    { systemPrompt: 'ONLY WORDS', settings: { outputStyle: 'Pirate' } },
    (prompt, outcome) => {
      expect(prompt).toMatch(/^ONLY WORDS/);
      // In which part of the request it stands is the agent's own affair.
      expect(outcome.requests[0]?.system).toContain('PIRATE WORDS');
      expect(outcome.messages[0]).toMatchObject({ output_style: 'Pirate' });
    },
  ),
  prompted(
    'a style by the name of its file',
    { systemPrompt: preset, settings: { outputStyle: 'pirate' } },
    (_, outcome) => {
      expect(outcome.messages[0]).toMatchObject({ output_style: 'pirate' });
    },
  ),
];
