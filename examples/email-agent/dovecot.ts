/** A private Dovecot for a test: its own folder, a free port, one user with an empty inbox. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PATIENCE_MS } from '../../test/support/patience.js';
import { freePort } from '../shared/free-port.js';

export interface ImapServer {
  url(password?: string): string;
  /** Ends all connections, as a restart would. */
  stop(): Promise<void>;
}

export const PASSWORD = 'p@ss/word';

export async function startDovecot(program: string): Promise<ImapServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-dovecot-'));
  // Its processes run as different users and must be able to reach their sockets.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const configuration = join(folder, 'dovecot.conf');
  writeFileSync(configuration, settings(folder, port));
  const mail = join(folder, 'mail');
  mkdirSync(mail);
  chmodSync(mail, 0o777);
  const server = spawn(program, ['-F', '-c', configuration], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exited = once(server, 'exit');
  await untilReachable(port, () => (server.exitCode === null ? undefined : errors + logOf(folder)));
  return {
    url: (password = PASSWORD) => `imap://reader:${encodeURIComponent(password)}@127.0.0.1:${port}/INBOX`,
    stop: async () => {
      server.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function settings(folder: string, port: number): string {
  const isRoot = process.getuid?.() === 0;
  const { uid, gid, username } = userInfo();
  const [mailUid, mailGid] = isRoot ? [65_534, 65_534] : [uid, gid];
  // The package creates users for its processes; without root, only the current user is available.
  const users = isRoot
    ? ''
    : `default_internal_user = ${username}\ndefault_login_user = ${username}\ndefault_internal_group = ${gid}`;
  return `
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 1
first_valid_gid = 1
mail_uid = ${mailUid}
mail_gid = ${mailGid}
${users}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${mailUid} gid=${mailGid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`;
}

async function untilReachable(port: number, failure: () => string | undefined): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
      if (String(greeting).startsWith('* OK')) return;
    } catch (error) {
      const words = failure();
      if (words !== undefined || Date.now() > end)
        throw new Error(`Dovecot did not start: ${words ?? error}`);
      await wait(50);
    } finally {
      socket.destroy();
    }
  }
}

function logOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'dovecot.log'), 'utf8');
  } catch {
    return '';
  }
}
