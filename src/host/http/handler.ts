import type { Host } from '../host.js';
import type { HandlerOptions } from './handler-options.js';
export function hostHandler(_host: Host, _options: HandlerOptions): (request: Request) => Promise<Response> {
  throw new Error('not merged yet');
}
