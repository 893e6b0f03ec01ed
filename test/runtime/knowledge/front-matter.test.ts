import { describe, expect, it } from 'vitest';
import { listIn, readHead, textIn, truthIn } from '../../../src/runtime/knowledge/front-matter.js';

const headOf = (...lines: string[]) => readHead(['---', ...lines, '---', 'BODY'].join('\n')).head;

describe('the head of a skill or command', () => {
  it('R53: has texts, quoted texts, lists and switches', () => {
    const head = headOf(
      'name: greet',
      "description: 'it''s: a greeting' # for people",
      'hint: "[who] \\"x\\""',
      'allowed-tools: Read, Bash(git log:*, x)',
      'others: [Read, "Bash(a, b)"]',
      'disable-model-invocation: true',
      'colons: a: b: c',
    );
    expect(textIn(head, 'name')).toBe('greet');
    expect(textIn(head, 'description')).toBe("it's: a greeting");
    expect(textIn(head, 'hint')).toBe('[who] "x"');
    expect(listIn(head, 'allowed-tools')).toEqual(['Read', 'Bash(git log:*, x)']);
    expect(listIn(head, 'others')).toEqual(['Read', 'Bash(a, b)']);
    expect(truthIn(head, 'disable-model-invocation')).toBe(true);
    expect(truthIn(head, 'name')).toBeUndefined();
    expect(textIn(head, 'colons')).toBe('a: b: c');
  });

  it('R53: has texts and lists of several lines', () => {
    const head = headOf(
      'folded: >-',
      '  one',
      '  two',
      'literal: |',
      '  one',
      '  two',
      'list:',
      '  - Read',
      '  - Grep',
      'flush:',
      '- a',
      '- b',
      'plain: one',
      '  two',
      'map:',
      '  inner: x',
      'last: yes',
    );
    expect(textIn(head, 'folded')).toBe('one two');
    expect(textIn(head, 'literal')).toBe('one\ntwo');
    expect(listIn(head, 'list')).toEqual(['Read', 'Grep']);
    expect(listIn(head, 'flush')).toEqual(['a', 'b']);
    expect(textIn(head, 'plain')).toBe('one two');
    expect(head.has('map')).toBe(false);
    expect(textIn(head, 'last')).toBe('yes');
  });

  it('R53: is left out of the text, which begins with its first line', () => {
    expect(readHead('---\nname: x\n---\n\n\nBODY\n').body).toBe('BODY\n');
    expect(readHead('\uFEFF---\r\nname: x\r\n---\r\nA\r\nB').body).toBe('A\nB');
    expect(readHead('no head\n---\n').body).toBe('no head\n---\n');
  });

  it('R53: is part of the text if it has no end', () => {
    const { head, body } = readHead('---\nname: x\nBODY');
    expect(head.size).toBe(0);
    expect(body).toBe('---\nname: x\nBODY');
  });
});
