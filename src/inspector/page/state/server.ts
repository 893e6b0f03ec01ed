/* How the page talks to the server that it came from. Its token came in the fragment, which no server is sent. */

const KEPT_AS = 'tenon-inspector-token';

/** A page that was saved to a file has its feed inside, and no server. */
export const savedFeed: HTMLElement | null = document.getElementById('feed');

let token = '';

/** Takes the token out of the fragment, and returns the rest. Reading it from there once is enough: tabs keep it. */
export function takeToken(fragment: string): string {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const given = parts.get('token');
  parts.delete('token');
  try {
    if (given !== null) sessionStorage.setItem(KEPT_AS, given);
    token = given ?? sessionStorage.getItem(KEPT_AS) ?? '';
  } catch {
    // Storage may be switched off; the page then works until it is loaded again.
    token = given ?? '';
  }
  return parts.toString();
}

/** What the server refuses, in its words. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit' });
  if (!response.ok) throw new RefusedError(response.status, await refusal(response));
  return response;
}

export async function post(path: string, body: object): Promise<unknown> {
  const response = await request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** The sentence of an answer that is an error. */
async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // A sentence, not JSON.
  }
  return text === '' ? `${response.status} ${response.statusText}` : text;
}
