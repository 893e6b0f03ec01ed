/** The environment of the child: what it gets from the host, from the caller and from us (pains 7 and 43). */
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/options/environment.js';
import { captureLaunch } from '../support/captured-launch.js';

const basics = {
  PATH: '/bin',
  HOME: '/home/me',
  USER: 'me',
  LANG: 'de_DE.UTF-8',
  TMPDIR: '/tmp/mine',
  SystemRoot: 'C:\\Windows',
};
const host = {
  ...basics,
  ANTHROPIC_API_KEY: 'of the host',
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
};

const ours = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };

describe('without options.env', () => {
  it("the child has the host's, but not the marks of a surrounding session (pain 7)", () => {
    const { CLAUDECODE: _nested, ...rest } = host;
    expect(childEnvironment(undefined, {}, host)).toEqual({ ...rest, ...ours });
  });
});

describe('options.env replaces (pain 43)', () => {
  it('all but the variables without which no program runs', () => {
    expect(childEnvironment({ MINE: '1' }, {}, host)).toEqual({ ...basics, ...ours, MINE: '1' });
    expect(childEnvironment({}, {}, host)).toEqual({ ...basics, ...ours });
  });

  it('those too where it names them', () => {
    expect(childEnvironment({ PATH: '/mine', HOME: '' }, {}, host)).toMatchObject({
      PATH: '/mine',
      HOME: '',
    });
  });

  it('and undefined removes: a variable of the host, and one of ours', () => {
    const env = childEnvironment(
      { HOME: undefined, CLAUDE_CODE_SDK_READS_SESSION_STATE: undefined, CLAUDE_CODE_ENTRYPOINT: undefined },
      {},
      host,
    );
    expect(Object.keys(env).sort()).toEqual(['LANG', 'PATH', 'SystemRoot', 'TMPDIR', 'USER']);
  });

  it('passes CLAUDECODE and CLAUDE_CODE_ENTRYPOINT when the caller sets them (pain 7)', () => {
    const given = { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'mine' };
    expect(childEnvironment(given, {}, host)).toMatchObject(given);
  });

  it('wins over what other options put there', () => {
    expect(childEnvironment({ A: 'given' }, { A: 'from an option', B: 'b' }, host)).toMatchObject({
      A: 'given',
      B: 'b',
    });
  });
});

describe('a query', () => {
  it('leaves process.env and options.env as they are', async () => {
    const env = { MINE: '1', GONE: undefined };
    const [hostBefore, envBefore] = [{ ...process.env }, { ...env }];
    // With a server's secret, which a custom spawn gets by the environment.
    const mcpServers = { a: { command: 'x', env: { TOKEN: 'secret' } } };
    const { spawn } = await captureLaunch({ env, mcpServers });
    expect(spawn.env).toMatchObject({ MINE: '1', TENON_MCP_VALUE_0: 'secret' });
    expect(spawn.env).not.toHaveProperty('GONE');
    expect({ ...process.env }).toEqual(hostBefore);
    expect(env).toEqual(envBefore);
  });

  it('takes nothing over from a session that this process runs in (pain 7)', async () => {
    process.env.CLAUDECODE = '1';
    process.env.CLAUDE_CODE_ENTRYPOINT = 'cli';
    try {
      const { spawn } = await captureLaunch({});
      expect(spawn.env.CLAUDECODE).toBeUndefined();
      expect(spawn.env.CLAUDE_CODE_ENTRYPOINT).toBe('sdk-ts');
    } finally {
      delete process.env.CLAUDECODE;
      delete process.env.CLAUDE_CODE_ENTRYPOINT;
    }
  });
});
