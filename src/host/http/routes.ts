import { answerApproval, readApprovals } from './approval-routes.js';
import { readChat, resumeChat, sendChat, stopChat } from './chat/chat-routes.js';
import { type Exchange, givenName } from './exchange.js';
import type { Wanted } from './handler-options.js';
import { notFound, Problem } from './problems.js';
import { interrupt, listSessions, readEvents, readSession, sendMessage } from './session-routes.js';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:session` and `:approval` stand for names. */
  readonly path: string;
  readonly action: Wanted['action'];
  handle(exchange: Exchange): Promise<Response>;
}

/** Everything that can be asked for. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/sessions', action: 'read', handle: listSessions },
  { method: 'GET', path: '/sessions/:session', action: 'read', handle: readSession },
  { method: 'GET', path: '/sessions/:session/events', action: 'read', handle: readEvents },
  { method: 'POST', path: '/sessions/:session/messages', action: 'send', handle: sendMessage },
  { method: 'POST', path: '/sessions/:session/interrupt', action: 'interrupt', handle: interrupt },
  { method: 'GET', path: '/approvals', action: 'approvals', handle: readApprovals },
  { method: 'POST', path: '/approvals/:approval', action: 'answer', handle: answerApproval },
  // What `useChat` of the AI SDK asks for, and what its page needs besides.
  { method: 'POST', path: '/chat', action: 'send', handle: sendChat },
  { method: 'GET', path: '/chat/:session/stream', action: 'read', handle: resumeChat },
  { method: 'GET', path: '/chat/:session/messages', action: 'read', handle: readChat },
  { method: 'POST', path: '/chat/:session/stop', action: 'interrupt', handle: stopChat },
];

export interface Match {
  readonly route: Route;
  readonly names: Readonly<Record<string, string>>;
}

/** The route of a request. `path` is what follows the base path. */
export function matchRoute(method: string, path: string): Match {
  const segments = path.split('/');
  const fitting = ROUTES.filter((route) => fits(route, segments));
  if (fitting.length === 0) throw notFound();
  const route = fitting.find((each) => each.method === method);
  if (route === undefined) {
    const allow = [...fitting.map((each) => each.method), 'OPTIONS'].join(', ');
    throw new Problem(405, `This takes ${allow}, not ${method.slice(0, 20)}.`, { allow });
  }
  return { route, names: namesIn(route, segments) };
}

function fits({ path }: Route, segments: readonly string[]): boolean {
  const wanted = path.split('/');
  return (
    wanted.length === segments.length &&
    wanted.every((each, index) => (each.startsWith(':') ? segments[index] !== '' : each === segments[index]))
  );
}

function namesIn({ path }: Route, segments: readonly string[]): Record<string, string> {
  const names = path.split('/').flatMap((each, index) => {
    if (!each.startsWith(':')) return [];
    const name = each.slice(1);
    return [[name, givenName(name, decoded(segments[index] ?? ''))] as const];
  });
  return Object.fromEntries(names);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
