import { describe, expect, it } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.js';
import { BACK_ENDS } from '../../support/back-ends.js';
import { REF, shared } from '../support/host.js';
import { putAway, scene, toTheEnd } from './support.js';

const pay = toolUse('mcp__shop__pay', { amount: 5 }, { id: 'toolu_pay' });

describe.each(BACK_ENDS)('on $name, a question that nobody answers (R63)', (backEnd) => {
  it.each(['in the same program', 'in a program that was started since'])(
    'is put away with its conversation, and the answer makes the call, %s',
    async (where) => {
      await using stage = await scene(backEnd, [pay, text('It is paid.')]);
      const storage = shared();
      const first = stage.host({ storage });
      await using _first = first;
      await first.send(REF, 'Pay 5.');
      const { id, ...asked } = await putAway(first);
      expect(asked).toMatchObject({ kind: 'permission', toolName: 'mcp__shop__pay', input: { amount: 5 } });
      if (where !== 'in the same program') await first.close();
      const host = where === 'in the same program' ? first : stage.host({ storage });
      await using _host = host;
      expect(await host.answer(id, { behavior: 'allow' })).toBe('taken');
      expect(await toTheEnd(host)).toEqual([
        'user text: Pay 5.',
        'assistant tool_use: {"amount":5}',
        'approval',
        'answered',
        'user tool_result: [{"type":"text","text":"Paid 5."}]',
        'assistant text: It is paid.',
        'result',
        'done: answered',
      ]);
      expect(stage.shop.effects).toEqual(['paid 5']);
      expect(stage.read()[0]).toBe('toolu_pay: Paid 5.');
      stage.running.player.assertDone();
      expect(stage.problems).toEqual([]);
    },
  );
});
