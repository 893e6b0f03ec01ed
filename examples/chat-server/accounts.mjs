// Who is at the other end. There are no passwords: it is an example, and whoever knows a name can sign in with it. What it
// does show is that the server believes its own signature and nothing that a request says of itself.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COOKIE = 'chat_user';
const VALID_MS = 30 * 24 * 60 * 60 * 1000;

export class Accounts {
  #secret;

  /** @param {Buffer} secret whoever knows it can be anybody */
  constructor(secret = randomBytes(32)) {
    this.#secret = secret;
  }

  /**
   * With the secret of a folder, made at the first start: people stay signed in when the program is started again.
   *
   * @param {string} folder
   */
  static in(folder) {
    const file = join(folder, 'secret');
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    return new Accounts(Buffer.from(readFileSync(file, 'utf8'), 'base64url'));
  }

  /**
   * The header that signs somebody in.
   *
   * @param {string} name
   */
  cookieFor(name) {
    const claim = Buffer.from(JSON.stringify({ name, until: Date.now() + VALID_MS })).toString('base64url');
    return `${COOKIE}=${claim}.${this.#sign(claim)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${VALID_MS / 1000}`;
  }

  /** The header that signs out. */
  get noCookie() {
    return `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /**
   * Who has signed in, by the cookies of a request.
   *
   * @param {string | null | undefined} cookies
   * @returns {{ name: string, tenant: string } | undefined}
   */
  who(cookies) {
    const value = /(?:^|;\s*)chat_user=([^;]*)/.exec(cookies ?? '')?.[1] ?? '';
    const [claim = '', signature = ''] = value.split('.');
    const expected = Buffer.from(this.#sign(claim));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { name, until } = JSON.parse(Buffer.from(claim, 'base64url').toString());
    return until < Date.now() ? undefined : { name, tenant: tenantOf(name) };
  }

  /** @param {string} claim */
  #sign(claim) {
    return createHmac('sha256', this.#secret).update(claim).digest('base64url');
  }
}

/**
 * A name that somebody has typed; undefined if it is none.
 *
 * @param {unknown} given
 */
export function readName(given) {
  if (typeof given !== 'string') return undefined;
  const name = given.normalize('NFC').trim().replace(/\s+/g, ' ');
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'_-]{0,39}$/u.test(name) ? name : undefined;
}

/**
 * "Ada" and "ada" are the same person.
 *
 * @param {string} name
 */
const tenantOf = (name) => name.toLowerCase();
