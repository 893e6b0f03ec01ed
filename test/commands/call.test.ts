/** `tenon call`: one tool of a file, from a shell (R58). */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCallArguments } from '../../src/commands/call/read-arguments.js';
import { waitUntil } from '../support/real-cli.js';
import { start, tenon } from './support/tenon.js';
import { CTRL_C, describeInTerminal, Terminal } from './support/terminal.js';

const shop = fileURLToPath(new URL('./support/shop.mjs', import.meta.url));
const call = (...args: string[]) => tenon(['call', shop, ...args]);

describe('tenon call', () => {
  it('gives each value the type of the schema, and the result to stdout', async () => {
    const words = ['product=hammer', 'count=2', 'colours=red', 'colours=green', 'address.city=Bonn'];
    const { code, stdout, stderr } = await call(
      'order',
      ...words,
      'address.zip=53111',
      'isGift=true',
      'sizes:=[1.5]',
    );
    expect(JSON.parse(stdout)).toEqual({
      product: 'hammer',
      count: 2,
      colours: ['red', 'green'],
      address: { city: 'Bonn', zip: 53111 },
      isGift: true,
      sizes: [1.5],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('takes the arguments as one JSON value, from the command line or stdin, and lets the server check them', async () => {
    const given = '{"product":"hammer","count":3}';
    const [option, stdin, wrong] = await Promise.all([
      call('shop.order', '--json-input', given, 'count=4'),
      tenon(['call', shop, 'mcp__shop__order', '-'], { input: given }),
      call('order', '--json-input', '{"count":99}'),
    ]);
    expect(JSON.parse(option.stdout)).toEqual({ product: 'hammer', count: 4 });
    expect(JSON.parse(stdin.stdout)).toEqual({ product: 'hammer', count: 3 });
    // The same words that an agent would read.
    expect(wrong.stderr).toMatch(/^✗ shop\.order: Invalid arguments for tool "order": product: .*count: /);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
  });

  it('says so when a result is empty, and names what is no text', async () => {
    const [empty, picture] = await Promise.all([call('nothing', '--server', 'shop'), call('picture')]);
    expect(empty).toEqual({ code: 0, stdout: '', stderr: 'shop.nothing answered with an empty result.\n' });
    expect(picture.stdout).toBe('Look:\n[image image/png, 3.0 kB]\n');
  });

  it('exits with 1 when the tool fails; --json has the whole result either way', async () => {
    const [plain, json] = await Promise.all([call('fails'), call('fails', '--json')]);
    expect(plain).toEqual({ code: 1, stdout: '', stderr: '✗ shop.fails: The till is empty.\n' });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      isError: true,
      content: [{ text: 'The till is empty.' }],
    });
  });

  it('shows reports and logs on stderr', async () => {
    const { stdout, stderr } = await call('busy');
    expect(stdout).toBe('done\n');
    expect(stderr).toBe('1 of 2 half of it\nwarning shop: the till is nearly empty\n');
  });

  it('gives up after --timeout, and says what the tool reported last', async () => {
    const { code, stderr } = await call('waits', '--timeout', '0.3');
    expect(stderr).toContain('shop.waits did not answer within 300 ms. Its last report: 1 of 3 begun.');
    expect(stderr).toContain('told to stop');
    expect(code).toBe(1);
  });

  it('is cancelled by SIGINT, and the handler hears of it', async () => {
    const { child, output, finished } = start(['call', shop, 'waits']);
    await waitUntil(() => output().includes('begun'), { what: 'the call' });
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    expect(stderr).toMatch(/told to stop[\s\S]*shop\.waits was cancelled\./);
    expect(code).toBe(130);
  });

  it('calls the tools of other servers, too, which end with it', async () => {
    const program = `"${process.execPath}" "${fileURLToPath(new URL('../../dist/commands/bin.js', import.meta.url))}"`;
    const server = `far=${program} serve "${shop}" --name shop --stdio`;
    const { code, stdout } = await tenon(['call', 'order', 'product=nail', '--server', server]);
    expect(JSON.parse(stdout)).toEqual({ product: 'nail', count: 1 });
    expect(code).toBe(0);
  });

  const mistakes: [string[], RegExp][] = [
    [['ordr'], /there is no tool "ordr"\. Did you mean "order"\?/],
    [[], /a tool is required\. The tools are: order, any, nothing, /],
    [['order'], /"order" needs the argument product: product=…/],
    [['order', 'prodct=x'], /there is no argument "prodct"\. Did you mean product\?/],
    [['order', 'product=x', 'address.town=y'], /there is no argument "address\.town"\. .*address\.city/],
    [['order', 'product=x', 'count=many'], /count must be a number; it is "many"/],
    [['order', 'product=x', 'isGift=maybe'], /isGift must be true or false; it is "maybe"/],
    [['order', 'product=x', 'product=y'], /product is given twice, and takes one value/],
    [
      ['order', 'product=x', 'address=Bonn'],
      /address must be an object: address:='\{"…":…\}' or address\.<part>=/,
    ],
    [['order', 'product=x', 'sizes:=[1'], /sizes:=… must be JSON/],
    [['order', 'hammer'], /"hammer" is no argument\. Write name=value/],
    [['order', '--json-input', '[1]'], /the arguments must be one object/],
    [['order', '--json-input', '{}', '-'], /not from both/],
    [['nothing'], /several servers have a tool "nothing": shop, spare\. Choose one with --server/],
    [['nothing', '--server', 'shp'], /--server "shp": there is no such server\. Did you mean shop\?/],
    [['order', 'product=x', '--timeout', 'soon'], /--timeout must be a number of seconds above 0/],
    [['order', '--jsn'], /there is no option --jsn\. Did you mean --json\?/],
  ];

  it.each(mistakes)(
    '%j is a mistake that names the argument and the remedy, and exits with 2',
    async (args, message) => {
      const { code, stdout, stderr } = await call(...args);
      expect(stderr).toMatch(message);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    },
  );
});

describe('the arguments of a call', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      note: { type: ['string', 'null'] },
      size: { enum: [1, 2, 'large'] },
      'a.b': { type: 'number' },
      inner: { $ref: '#/$defs/inner' },
      tags: { type: 'object', additionalProperties: { type: 'number' } },
    },
    $defs: {
      inner: { type: 'object', properties: { inner: { $ref: '#/$defs/inner' }, n: { type: 'integer' } } },
    },
  };
  const read = (...words: string[]) => readCallArguments(words, schema);

  it('follow alternatives, references and names with dots', () => {
    expect(read('id=7')).toEqual({ id: 7 });
    expect(read('id=seven')).toEqual({ id: 'seven' });
    expect(read('note=null')).toEqual({ note: null });
    expect(read('size=2')).toEqual({ size: 2 });
    expect(read('size=large')).toEqual({ size: 'large' });
    expect(read('a.b=3')).toEqual({ 'a.b': 3 });
    expect(read('inner.inner.n=4', 'inner.n=5')).toEqual({ inner: { inner: { n: 4 }, n: 5 } });
    expect(read('tags.x=1', 'tags.y=2')).toEqual({ tags: { x: 1, y: 2 } });
  });

  it('never reach a prototype', () => {
    const open = { type: 'object', additionalProperties: true };
    const input = readCallArguments(['__proto__.polluted=1', 'constructor.prototype.x=2'], open);
    expect(Object.hasOwn(input, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((Object.prototype as { x?: unknown }).x).toBeUndefined();
  });
});

describeInTerminal('tenon call in a terminal', () => {
  const env = { PATH: process.env.PATH ?? '' };

  it('has a status line with the last report, and Ctrl-C cancels the call', async () => {
    using terminal = new Terminal(['call', shop, 'waits'], { env });
    await terminal.sees(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \S+ m?s shop\.waits 1 of 3 begun$/m);
    terminal.press(CTRL_C);
    expect(await terminal.exited).toBe(130);
    expect(await terminal.text()).toMatch(/told to stop[\s\S]*shop\.waits was cancelled\.$/);
  });
});
