/** What is secret is nowhere in a tape: known values, telling names, and what has the form of a key (R56, pain 44). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { newRecorder } from '../../src/observe/recorder.js';
import { redactorOf } from '../../src/observe/redactor.js';
import { SecretValues } from '../../src/protocol/base/secret-values.js';
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
    expect(text.match(/.{60}planted[-\d].{20}/)?.[0]).toBeUndefined();
    const results = readTape(file).lines.filter(
      (line) => line.kind === 'frame' && line.frame.type === 'result',
    );
    expect(results).toHaveLength(1);
  });
});

/** Every form that is known, so that none is overseen when many lines are looked at together. */
const FORMS = [
  `sk-ant-${'planted1'.repeat(3)}`,
  `ghp_${'planted2'.repeat(4)}`,
  `github_pat_${'planted3'.repeat(4)}`,
  `glpat-${'planted4'.repeat(3)}`,
  `npm_${'planted5'.repeat(5)}`,
  `xoxb-${'planted6'.repeat(2)}`,
  'Authorization: Bearer planted-7-planted',
  'authorization: basic planted8planted',
  'redis://user:planted9@host',
  '-----BEGIN PRIVATE KEY-----\nplanted10',
  ...['SHOP_TOKEN', 'DB_PASSWORD', 'DB_PASSWD', 'MY_CREDENTIALS', 'THE_SECRET', 'A_KEY'].map(
    (name) => `${name}=planted-11`,
  ),
  ...['api_key', 'apiKey', 'accessToken', 'ACCESS_TOKEN', 'id-token', 'refresh_token', 'Cookie', 'COOKIE'],
  ...['set-cookie', 'client_secret', 'SECRET', 'PASSWD', 'passwd', 'password', 'x-api-key', 'AUTHORIZATION'],
  ...['Proxy-Authorization', 'authorization', 'X-API-KEY', 'ID_TOKEN', 'secret'],
].map((form) => (/^[\w-]+$/.test(form) && !form.includes('planted') ? `{"${form}":"planted-12"}` : form));
const KNOWN = 'planted-13';

describe('many frames that are written together', () => {
  it.each([...FORMS, `the known ${KNOWN} value`])(
    'hide %s, and leave the others as they were (R56)',
    async (secret) => {
      const file = join(await mkdtemp(join(tmpdir(), 'tenon-test-')), 'run.tape');
      const recorder = newRecorder(file, { warn: (text) => expect.unreachable(text), debug: () => {} });
      const known = new SecretValues();
      known.addValues([KNOWN]);
      recorder.take({
        kind: 'start',
        at: 0,
        conversation: '4f1c2d3e-0000-4000-8000-000000000000',
        facts: { backEnd: 'cli', agent: 'Claude Code', options: {} },
        secrets: known,
      });
      // Spaces as no program of ours writes them: a frame that needs no change is kept as it came.
      const line = (text: string): string => `{ "type": "x",  "text": ${JSON.stringify(text)} }`;
      const at = (sequence: number): string =>
        line(sequence === 700 ? `It is ${secret}.` : `Call ${sequence}.`);
      for (let sequence = 1; sequence <= 1000; sequence += 1) {
        const direction = sequence % 2 === 0 ? 'sent' : 'received';
        recorder.take({
          kind: 'frame',
          type: 'x',
          at: sequence / 7,
          sequence,
          direction,
          line: at(sequence),
        });
      }
      recorder.take({ kind: 'end', at: 200, conversation: '', code: 0, signal: null });
      await recorder.close();
      const text = await readFile(file, 'utf8');
      await rm(dirname(file), { recursive: true });
      expect(text).not.toContain('planted');
      expect(text).toContain('<redacted>');
      const lines = text.split('\n').slice(1, 1001);
      expect(lines[698]).toBe(`{"kind":"frame","n":699,"t":99.857,"direction":"<","frame":${at(699)}}`);
      const numbers = lines.map((each) => JSON.parse(each) as { n: number; t: number });
      expect(numbers.map(({ n }) => n)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
      expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        totals: { sent: 500, received: 500 },
      });
    },
  );
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

  it.each([
    [
      'a form, written with escapes',
      '{"a":"\\u0073k-ant-\\u0061pi03-abcdefghijklmnop"}',
      { a: '<redacted>' },
    ],
    ['a known value, written with escapes', '{"a":"is p\\u0061th\\/value"}', { a: 'is <redacted>' }],
    ['a known value with another way to write a slash', '{"a":"is path\\/value"}', { a: 'is <redacted>' }],
    ['a field, written with escapes', '{"p\\u0061ssword":"abc"}', { password: '<redacted>' }],
  ])('knows %s: the text of an agent is kept as it wrote it (R56)', (_, line, shown) => {
    expect(JSON.parse(redactorOf(['path/value'], {}).line(line))).toEqual(shown);
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
