/** A `canUseTool` that nobody will call looks like a guard and is none: both agents say so. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSdkMcpServer, type Options, tool } from '../../src/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

const canUseTool: NonNullable<Options['canUseTool']> = async () => ({ behavior: 'allow' });
const server = () => createSdkMcpServer({ name: 's', tools: [tool('a', 'a', {}, () => 'A')] });
const BYPASS: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

afterEach(() => void vi.restoreAllMocks());

describe.each(BACK_ENDS)('$name', (backEnd) => {
  /** What the user is told about permissions at the start. */
  async function told(options: Options): Promise<string> {
    let text = '';
    await using agent = await backEnd.start(['Done.']);
    await ask(
      agent.options({
        mcpServers: { s: server() },
        // Tests may run as root, where the CLI has no bypassPermissions otherwise.
        env: { IS_SANDBOX: '1' },
        stderr: (more) => {
          text += more;
        },
        canUseTool,
        ...options,
      }),
    );
    return text;
  }

  it.each<[string, Options, string]>([
    ['the mode bypassPermissions', BYPASS, 'permissionMode "bypassPermissions"'],
    ['the mode dontAsk', { permissionMode: 'dontAsk' }, 'permissionMode "dontAsk"'],
    ['prompts that are switched off', { permissionPrompts: 'none' }, 'permissionPrompts "none"'],
    [
      'rules for every tool',
      { tools: [], allowedTools: ['mcp__s'] },
      'every tool of `mcpServers` and `tools`',
    ],
  ])('warns of a canUseTool beside %s (R21, pain 16)', async (_, options, reason) => {
    const text = await told(options);
    expect(text).toContain('canUseTool will not be asked');
    expect(text).toContain(reason);
  });

  it.each<[string, Options]>([
    ['no rules', {}],
    [
      'rules for one of two servers',
      { tools: [], allowedTools: ['mcp__s'], mcpServers: { s: server(), t: server() } },
    ],
    ['rules for some tools of the agent', { tools: ['Read', 'Bash'], allowedTools: ['mcp__s', 'Read'] }],
    [
      'a rule of settings that asks',
      { tools: [], allowedTools: ['mcp__s'], settings: { permissions: { ask: ['mcp__s__a'] } } },
    ],
    [
      'a hook that may ask',
      { tools: [], allowedTools: ['mcp__s'], hooks: { PreToolUse: [{ hooks: [async () => ({})] }] } },
    ],
    ['a tool that asks the user', { tools: ['AskUserQuestion'], allowedTools: ['AskUserQuestion'] }],
    ['no callback at all', { ...BYPASS, canUseTool: undefined }],
  ])('says nothing of a canUseTool beside %s (R21)', async (_, options) => {
    expect(await told(options)).not.toContain('canUseTool');
  });
});

it('the warning has the code that programs know from the official SDK (R21)', async () => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const [, runtime] = BACK_ENDS;
  await using agent = await (runtime as (typeof BACK_ENDS)[number]).start(['Done.']);
  await ask(agent.options({ ...BYPASS, canUseTool }));
  expect(emitted).toHaveBeenCalledWith(
    expect.stringContaining('canUseTool will not be asked'),
    expect.objectContaining({ code: 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED' }),
  );
});
