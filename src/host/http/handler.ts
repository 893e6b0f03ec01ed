import { messageOf } from '../../protocol/base/errors.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import type { Host, HostProblem } from '../host.js';
import { admit, Exchange } from './exchange.js';
import { type HandlerOptions, type HandlerSettings, handlerSettings } from './handler-options.js';
import { corsHeaders, isPreflight, preflightResponse, refuseForeignPage } from './origins.js';
import { notFound, ProgramFailure, problemOf, problemResponse } from './problems.js';
import { matchRoute } from './routes.js';

/**
 * A host as a web-standard handler: it takes a `Request` and always answers with a `Response`. `report` is told what went
 * wrong here and callers are not told of.
 */
export function hostHandler(
  host: Host,
  options: HandlerOptions,
  report: (problem: HostProblem) => void = warnOf,
): (request: Request) => Promise<Response> {
  const settings = handlerSettings(options);
  const tell = (during: string, error: unknown): void => report({ during, error });
  return async (request) => {
    const response = await answer(host, settings, request, tell).catch((error: unknown) => {
      const { problem, isOurs } = problemOf(error);
      const reason = error instanceof ProgramFailure ? error.cause : error;
      if (isOurs) tell(`answering ${request.method} over HTTP`, reason);
      return problemResponse(problem);
    });
    const headers = { 'x-content-type-options': 'nosniff', ...corsHeaders(request, settings.origins) };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    return response;
  };
}

async function answer(
  host: Host,
  settings: HandlerSettings,
  request: Request,
  report: (during: string, error: unknown) => void,
): Promise<Response> {
  const { pathname, searchParams: query } = new URL(request.url);
  const { basePath, origins } = settings;
  if (!pathname.startsWith(`${basePath}/`)) throw notFound();
  if (isPreflight(request)) return preflightResponse(request, origins);
  const { route, names } = matchRoute(request.method, pathname.slice(basePath.length));
  refuseForeignPage(request, origins);
  const { action } = route;
  const caller = await admit(settings, request, { action, session: names.session });
  return route.handle(new Exchange({ host, request, query, names, settings, caller, report }));
}

function warnOf({ during, error }: HostProblem): void {
  emitWarning(`A host has failed while ${during}: ${messageOf(error)}`, { code: 'TENON_HOST_PROBLEM' });
}
