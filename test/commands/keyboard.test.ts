import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { describe, expect, it, vi } from 'vitest';
import { Keyboard } from '../../src/commands/terminal/keyboard.js';
import { CTRL_C } from './support/terminal.js';

/** A stream is all that a keyboard needs of a terminal, but for the mode. */
function terminal(): { input: ReadStream; modes: boolean[]; press(keys: string): void } {
  const modes: boolean[] = [];
  const stream = new PassThrough();
  const input = Object.assign(stream, { setRawMode: (mode: boolean) => modes.push(mode) });
  return { input: input as unknown as ReadStream, modes, press: (keys) => stream.emit('data', keys) };
}

const never = new AbortController().signal;
const known = (key: string) => (key === 'y' || key === 'n' ? key : undefined);

describe('the keyboard of a run', () => {
  it('takes neither what was typed before the question, nor other keys, nor a pasted text for an answer', async () => {
    const { input, press } = terminal();
    const keyboard = new Keyboard(input, () => {});
    press('y');
    const answer = keyboard.choose(known, never);
    for (const keys of ['x', '\u001b[A', 'yes please', 'yn']) press(keys);
    press('n');
    press('y');
    expect(await answer).toBe('n');
  });

  it('takes a key with Enter after it, out of habit', async () => {
    const { input, press } = terminal();
    const keyboard = new Keyboard(input, () => {});
    const answer = keyboard.choose(known, never);
    press('y\r');
    expect(await answer).toBe('y');
  });

  it('hears Ctrl-C also in the middle of other keys, and while a question is open', () => {
    const { input, press } = terminal();
    const onInterrupt = vi.fn();
    const keyboard = new Keyboard(input, onInterrupt);
    void keyboard.choose(known, never);
    press(`ab${CTRL_C}`);
    expect(onInterrupt).toHaveBeenCalledOnce();
  });

  it('withdraws a question whose signal is aborted', async () => {
    const { input } = terminal();
    const keyboard = new Keyboard(input, () => {});
    const controller = new AbortController();
    const answer = keyboard.choose(known, controller.signal);
    controller.abort(new Error('over'));
    await expect(answer).rejects.toThrow('over');
    await expect(keyboard.choose(known, controller.signal)).rejects.toThrow('over');
  });

  it('gives the terminal back as it was', () => {
    const { input, modes } = terminal();
    const before = process.listenerCount('SIGCONT');
    new Keyboard(input, () => {}).close();
    expect(modes).toEqual([true, false]);
    expect(process.listenerCount('SIGCONT')).toBe(before);
  });
});
