/** `tenon run` without a terminal: what scripts and pipes get. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { apiError, blocks, hang, text, toolUse, toolUses } from '../../src/testing/index.js';
import { alive, descendants, sandbox, waitUntil } from '../support/real-cli.js';
import { agent, RUNTIMES, toolsFile } from './support/agent.js';
import { start, tenon } from './support/tenon.js';

const add = toolUse('mcp__tools__add', { a: 15, b: 27 });
const ESCAPE = '\u001b';

describe.each(RUNTIMES)('tenon run on the runtime "%s"', (runtime) => {
  const run = ['run', 'What is 15 + 27?', '--tools', toolsFile, '--runtime', runtime];

  it('puts the answer alone on stdout and a line for each call on stderr, without colour', async () => {
    await using its = await agent([
      blocks([text('Let me see.', { chunks: 3 }), add]),
      toolUse('mcp__tools__divide', { a: 1, b: 0 }),
      toolUse('mcp__tools__loud'),
      text('It is 42.', { chunks: 3 }),
    ]);
    const { code, stdout, stderr } = await tenon([...run, '--yes'], its);
    expect(stdout).toBe('Let me see.\nIt is 42.\n');
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(runtime === 'cli' ? /^Claude Code CLI \d+\.\d+\.\d+ / : /^Embedded runtime /);
    expect(lines[1]).toMatch(/^✓ tools\.add \{"a":15,"b":27\} → 42 \(\d+ ms\)$/);
    expect(lines[2]).toMatch(/^✗ tools\.divide \{"a":1,"b":0\} → Division by zero\. \(\d+ ms\)$/);
    // What a tool prints does not mix with the answer, and what it returns does not steer the terminal.
    expect(lines.slice(3, 5)).toEqual([
      'from the tool',
      expect.stringMatching(/^✓ tools\.loud → red and more/),
    ]);
    expect(lines[5]).toMatch(/^4 turns · [\d.]+ m?s · [\d,]+ tokens in, [\d,]+ out · \$\d/);
    expect(stdout + stderr).not.toContain(ESCAPE);
    expect(code).toBe(0);
    its.api.assertDone();
  });

  it('counts as turns what --max-turns limits: the answers of the model, not their calls', async () => {
    const input = { a: 15, b: 27 };
    const twice = toolUses([
      { name: 'mcp__tools__add', input },
      { name: 'mcp__tools__add', input },
    ]);
    await using its = await agent([twice, text('It is 42.')]);
    const { stderr } = await tenon([...run, '--yes', '--max-turns', '2'], its);
    expect(stderr.match(/✓ tools\.add/g)).toHaveLength(2);
    expect(stderr).toMatch(/^2 turns · /m);
  });

  it('prints every message as a line of JSON with --json, the result last', async () => {
    await using its = await agent([toolUse('mcp__tools__loud'), text('It is 42.')]);
    const { code, stdout, stderr } = await tenon([...run, '--yes', '--json'], its);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'It is 42.' });
    expect(messages.map(({ type }) => type)).not.toContain('stream_event');
    expect(stderr).toBe('from the tool\n');
    expect(code).toBe(0);
  });

  it('denies what was not allowed, because nobody can be asked, and tells the model how to allow it', async () => {
    await using its = await agent([add, text('I may not.')]);
    const { code, stderr } = await tenon(run, its);
    expect(JSON.stringify(its.api.requests[1]?.toolResults)).toContain('--allow mcp__tools__add');
    expect(stderr).toContain('✗ tools.add');
    expect(code).toBe(0);
  });

  it('runs a tool that --allow names, by its short name', async () => {
    await using its = await agent([add, text('It is 42.')]);
    const { stderr } = await tenon([...run, '--allow', 'add'], its);
    expect(stderr).toContain('✓ tools.add {"a":15,"b":27} → 42');
  });

  it('exits with 1 when the agent fails, and says why', async () => {
    await using its = await agent(() => apiError(401, 'authentication_error', 'invalid x-api-key'), {
      CLAUDE_CODE_MAX_RETRIES: '0',
    });
    const { code, stdout, stderr } = await tenon(run, its);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^✗ .*(401|invalid x-api-key|API key)/im);
    expect(stderr).toContain('Set ANTHROPIC_API_KEY');
    expect(code).toBe(1);
  });

  it('is interrupted by SIGINT, exits with 130 and leaves no process behind', async () => {
    await using its = await agent([hang()]);
    const { child, finished } = start([...run, '--json'], its);
    await its.api.waitForRequest(0);
    const children = descendants(child.pid as number);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await finished;
    expect(stderr).toContain('Interrupting the turn');
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'result' });
    expect(code).toBe(130);
    await waitUntil(() => !children.some(alive), { what: 'the end of all processes' });
  });
});

describe('tenon run', () => {
  it('takes the CLI that it finds, and says so', async () => {
    await using its = await agent([text('Hello.')]);
    const { stdout, stderr } = await tenon(['run', 'Hello'], its);
    expect(stderr).toMatch(/^Claude Code CLI .*CLAUDE_CODE_EXECUTABLE/);
    expect(stdout).toBe('Hello.\n');
  });

  it('takes the embedded runtime where there is no CLI but a model, and says so', async () => {
    await using its = await agent([text('Hello.')], { CLAUDE_CODE_EXECUTABLE: '', PATH: '' });
    const { stdout, stderr } = await tenon(['run', 'Hello'], its);
    expect(stderr).toMatch(/^No Claude Code CLI was found\. Embedded runtime \(ANTHROPIC_BASE_URL/);
    expect(stdout).toBe('Hello.\n');
  });

  it('says what to do where there is neither a CLI nor a key', async () => {
    await using box = sandbox();
    const env = { HOME: box.home, PATH: '' };
    const neither = await tenon(['run', 'Hello'], { env, cwd: box.cwd });
    expect(neither.code).toBe(1);
    for (const remedy of [
      'npm install @anthropic-ai/claude-code',
      'CLAUDE_CODE_EXECUTABLE',
      'ANTHROPIC_API_KEY',
    ]) {
      expect(neither.stderr).toContain(remedy);
    }
    const keyless = await tenon(['run', 'Hello', '--runtime', 'embedded'], { env, cwd: box.cwd });
    expect(keyless).toMatchObject({ code: 2, stdout: '' });
    expect(keyless.stderr).toContain('--runtime embedded needs a model: set ANTHROPIC_API_KEY');
  });

  it('never takes the other runtime when one is named', async () => {
    await using its = await agent([text('Hello.')], { CLAUDE_CODE_EXECUTABLE: '', PATH: '' });
    const { code, stderr } = await tenon(['run', 'Hello', '--runtime', 'cli'], its);
    expect(code).toBe(1);
    expect(stderr).toContain('add --runtime embedded');
  });

  it('reads the prompt from stdin, and puts it after the words of the command line', async () => {
    await using its = await agent([text('A list.'), text('A list.')]);
    await tenon(['run', 'Summarize:', '-', '--runtime', 'embedded'], { ...its, input: 'milk\neggs\n' });
    expect(JSON.stringify(its.api.requests[0]?.body.messages)).toContain('Summarize:\\n\\nmilk\\neggs');
    await tenon(['run', '--runtime', 'embedded'], { ...its, input: 'only stdin' });
    expect(JSON.stringify(its.api.requests[1]?.body.messages)).toContain('only stdin');
  });

  it('adds servers that are programs', async () => {
    const server = fileURLToPath(new URL('./support/tools.mjs', import.meta.url));
    const bin = fileURLToPath(new URL('../../dist/commands/bin.js', import.meta.url));
    const command = `"${process.execPath}" '${bin}' serve "${server}" --stdio`;
    await using its = await agent([toolUse('mcp__other__add', { a: 1, b: 2 }), text('Three.')]);
    const args = ['run', 'Add', '--runtime', 'embedded', '--server', `other=${command}`, '--yes'];
    const { stderr } = await tenon(args, its);
    expect(stderr).toContain('✓ other.add {"a":1,"b":2} → 3');
  });

  it('allows the tools of a server whose name the model sees otherwise', async () => {
    const call = toolUse('mcp__my_shop__stock');
    await using its = await agent([call, text('Three.'), call, text('Three.')]);
    const file = join(its.cwd, 'shop.mjs');
    const dist = new URL('../../dist/index.js', import.meta.url);
    writeFileSync(
      file,
      `import { createSdkMcpServer, tool } from '${dist}';
      const stock = tool('stock', 'Counts', { type: 'object' }, () => 3);
      export default createSdkMcpServer({ name: 'my shop', tools: [stock] });`,
    );
    for (const allowed of [['--yes'], ['--allow', 'stock']]) {
      const { stderr } = await tenon(
        ['run', 'Go', '--runtime', 'embedded', '--tools', file, ...allowed],
        its,
      );
      expect(stderr).toContain('✓ my_shop.stock → 3');
    }
  });

  it('passes the model, the system prompt and the limit of turns on', async () => {
    await using its = await agent([add, add]);
    const args = ['run', 'Go', '--runtime', 'embedded', '--model', 'some-model', '--system', 'Be brief.'];
    const { code, stderr } = await tenon([...args, '--max-turns', '1', '--tools', toolsFile, '--yes'], its);
    expect(its.api.requests[0]?.body.model).toBe('some-model');
    expect(JSON.stringify(its.api.requests[0]?.body.system)).toContain('Be brief.');
    expect(stderr).toContain('Raise the limit with --max-turns.');
    expect(stderr).toContain('cost unknown');
    expect(code).toBe(1);
  });
});
