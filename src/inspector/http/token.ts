import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;

/** 256 bits, for an address or a header. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** In a time that tells nothing about the token, not even its length. */
export function isToken(given: string | undefined, token: string): boolean {
  if (given === undefined) return false;
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
