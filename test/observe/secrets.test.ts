/** What is secret is nowhere in a tape: known values, telling names, and what has the form of a key (R56, pain 44). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { redactorOf } from '../../src/observe/redactor.js';
import { readTape, toolUse } from '../../src/testing/index.js';
import { BACK_ENDS } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const CONFIG = 'mcp__shop__config';

const PLANTED = {
  variable: 'planted-variable-1',
  password: 'planted-pass-2',
  header: 'planted-"header"-3',
  serverVariable: 'planted-server-4',
  url: 'planted-url-5',
  key: `sk-ant-${'planted6'.repeat(4)}`,
  named: 'planted-named-7',
  field: 'planted-field-8',
  setting: 'planted-setting-9',
};

describe.each(BACK_ENDS)('a tape of $name', ({ start }) => {
  it('has no secret in it, wherever it was planted, and still reads (R56, pain 44)', async () => {
    const configuration = JSON.stringify({
      mcpServers: { a: { env: { API_KEY: PLANTED.named }, headers: { authorization: PLANTED.field } } },
      key: PLANTED.key,
    });
    const shop = createSdkMcpServer({
      name: 'shop',
      tools: [
        tool('config', 'Reads a configuration.', {}, async () =>
          [
            configuration,
            `SHOP_TOKEN=${PLANTED.variable} postgres://me:${PLANTED.password}@db ${PLANTED.header} ${PLANTED.url}`,
          ].join('\n'),
        ),
      ],
    });
    await using agent = await start([
      toolUse(CONFIG),
      `It is ${PLANTED.header}, ${PLANTED.variable} and ${PLANTED.key}.`,
    ]);
    const file = join(agent.box.cwd, 'run.tape');
    const run = query({
      prompt: `Remember ${PLANTED.variable}, Bearer ${PLANTED.named}, {"password":"${PLANTED.field}"}.`,
      options: agent.options({
        record: file,
        env: { SHOP_TOKEN: PLANTED.variable, SHOP_DATABASE: `postgres://me:${PLANTED.password}@db` },
        mcpServers: {
          shop,
          away: {
            type: 'http',
            url: `http://127.0.0.1:9/mcp?token=${PLANTED.url}`,
            headers: { authorization: `Bearer ${PLANTED.header}` },
          },
          program: { command: 'no-such-program', env: { ANYTHING: PLANTED.serverVariable } },
        },
        allowedTools: [CONFIG],
        stderr: () => {},
      }),
    });
    await run.applyFlagSettings({ env: { SOME_KEY: PLANTED.setting } }).catch(() => {});
    const { messages, error } = await collect(run);
    expect(error).toBeUndefined();
    // The conversation itself is as it was.
    expect(JSON.stringify(messages)).toContain(PLANTED.key);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('<redacted>');
    expect(text.match(/.{60}planted.{20}/)?.[0]).toBeUndefined();
    const results = readTape(file).lines.filter(
      (line) => line.kind === 'frame' && line.frame.type === 'result',
    );
    expect(results).toHaveLength(1);
  });
});

describe('the redactor', () => {
  const redactor = redactorOf(['true', 'the "word"'], {
    MY_PASSWORD: 'correcthorse',
    MAX_TOKENS: '123456',
    SSH_AUTH_SOCK: '/tmp/ssh/agent.1',
    USE_AUTH: 'true',
  });

  it.each([
    ['a variable with a telling name', 'it is correcthorse', 'it is <redacted>'],
    ['a number', 'it is 123456', 'it is 123456'],
    ['a path', 'at /tmp/ssh/agent.1', 'at /tmp/ssh/agent.1'],
    ['a key of Anthropic', `sk-ant-api03-${'x'.repeat(20)}.`, '<redacted>.'],
    ['a key of AWS', 'AKIAABCDEFGHIJKLMNOP', '<redacted>'],
    ['a token of GitHub', `ghp_${'a1'.repeat(18)}`, '<redacted>'],
    ['a bearer', 'Authorization: Bearer abcdefgh12345', 'Authorization: Bearer <redacted>'],
    ['a password in a URL', 'redis://user:hunter2@host/0', 'redis://user:<redacted>@host/0'],
    ['a private key, even without its end', '-----BEGIN RSA PRIVATE KEY-----\nMIIE', '<redacted>'],
    ['an assignment', 'export AWS_SECRET_ACCESS_KEY=abcd1234 x', 'export AWS_SECRET_ACCESS_KEY=<redacted> x'],
    ['a field of JSON in a text', '{\\"apiKey\\": \\"abcdef\\"}', '{\\"apiKey\\": \\"<redacted>\\"}'],
    [
      'counts of tokens',
      '{"input_tokens": 12, "progressToken": "1"}',
      '{"input_tokens": 12, "progressToken": "1"}',
    ],
  ])('knows %s', (_, text, shown) => {
    expect(redactor.text(text)).toBe(shown);
    // The quick look at a line finds whatever the slow one would hide, at any depth.
    const nested = JSON.stringify({ a: [JSON.stringify({ b: text })] });
    expect(redactor.line(nested) === nested).toBe(shown === text);
  });

  it('changes texts, never the form of a line: a secret "true" leaves booleans alone (R56)', () => {
    expect(JSON.parse(redactor.line('{"is":true,"text":"so true","the \\"word\\"":1}'))).toEqual({
      is: true,
      text: 'so <redacted>',
      '<redacted>': 1,
    });
    expect(JSON.parse(redactor.line('{"password":"x","secret":{"type":"string"}}'))).toEqual({
      password: '<redacted>',
      secret: { type: 'string' },
    });
  });
});
