import { refuse } from './refuse.js';

const absent: never = refuse(
  '/browser',
  'its query() reads and steers a session of claude.ai from a page, through an interface of that service which is not public.',
  'In a page, import `query`, `tool` and `createSdkMcpServer` from the main entry, which bundlers resolve without Node there, ' +
    'and give query() a `transport` to your own server, or `runtime: embedded({ model })`.',
);

export const createSdkMcpServer: never = absent;
export const G4_TEXT_ENVELOPE_ARM_PORTED: never = absent;
export const getCcrEvent: never = absent;
export const getSseDropCounts: never = absent;
export const getSseLastSequenceNum: never = absent;
export const query: never = absent;
export const resumeSseStream: never = absent;
export const suspendSseStream: never = absent;
export const tool: never = absent;
