import type { SDKToolProgressMessage } from './messages/index.js';

type ProgressFields = Pick<SDKToolProgressMessage, 'progress' | 'total' | 'message'>;

/** What a tool has reported, as far as it is what it should be: it comes from a server. */
export function progressFields({ progress, total, message }: Record<string, unknown>): ProgressFields {
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}
