/** What the runtime puts before the conversation, and which part of it is cached. */
import { expect, test } from 'vitest';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../src/index.js';
import { run } from './support.js';

test('the part of a prompt behind the boundary is not cached, and the boundary is not sent (protocol 9)', async () => {
  const systemPrompt = ['Fixed.', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'It is noon.'];
  const { model } = await run(
    ['Hello.'],
    { systemPrompt },
    { skills: { a: { description: 'A', content: 'a' } } },
  );
  expect(model.requests[0]?.body.system).toMatchObject([
    { text: 'Fixed.' },
    { text: expect.stringContaining('- a: A'), cache_control: { type: 'ephemeral' } },
    { text: 'It is noon.' },
  ]);
  expect(model.requests[0]?.body.system?.at(-1)).not.toHaveProperty('cache_control');
});

test('the preset is a prompt of the runtime itself, followed by what is appended (protocol 9)', async () => {
  const preset = { type: 'preset', preset: 'claude_code' } as const;
  const { model } = await run(['Hello.'], { systemPrompt: { ...preset, append: 'Be brief.' } });
  expect(model.requests[0]?.body.system).toMatchObject([
    { text: expect.stringMatching(/^You are an agent/) },
    { text: 'Be brief.' },
  ]);
});
