import { expect, it, vi } from 'vitest';
import { Cancellation } from '../../src/protocol/base/cancellation.js';

it('tells its listeners once, and not those that left', () => {
  const cancellation = new Cancellation();
  const [stays, leaves] = [vi.fn(), vi.fn()];
  cancellation.on(stays);
  cancellation.on(leaves);
  cancellation.off(leaves);
  cancellation.cancel('why');
  cancellation.cancel('again');
  expect(stays).toHaveBeenCalledOnce();
  expect(leaves).not.toHaveBeenCalled();
  expect(cancellation.isCancelled).toBe(true);
  expect(cancellation.reason).toBe('why');
});

it('has the same to say as a signal, whenever that is asked for', () => {
  const early = new Cancellation();
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  early.cancel('why');
  expect(signal).toMatchObject({ aborted: true, reason: 'why' });
  const late = new Cancellation();
  late.cancel('before');
  expect(late.signal).toMatchObject({ aborted: true, reason: 'before' });
  expect(late.signal).toBe(late.signal);
});

it('does not call a listener that comes too late', () => {
  const cancellation = new Cancellation();
  cancellation.cancel('why');
  const late = vi.fn();
  cancellation.on(late);
  expect(late).not.toHaveBeenCalled();
});
