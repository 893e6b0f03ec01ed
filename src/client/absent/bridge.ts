import { refuse } from './refuse.js';

const absent: never = refuse(
  '/bridge',
  'it makes a program the worker of a session of claude.ai, through an interface of that service which is not public.',
  'Tenon has no counterpart; keep the official package for this import, under its own name. ' +
    'To reach an agent on another machine, give query() a `transport`.',
);

export const attachBridgeSession: never = absent;
export const createCodeSession: never = absent;
export const fetchRemoteCredentials: never = absent;
export const isCreateSessionFailure: never = absent;
export const isCredentialsFailure: never = absent;
export const isCredentialsRejection: never = absent;
