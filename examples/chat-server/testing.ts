/** The program itself, in its own process, and people who use it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { HostAnswer, HostApproval, HostMessage } from 'tenon/host';
import { afterAll } from 'vitest';
import { cliPath } from '../../test/support/real-cli.js';
import { EventParser } from './page/event-reader.mjs';

export interface Program {
  readonly child: ChildProcess;
  /** Of the page. Rejects if the program ends before it is there. */
  readonly url: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  output(): string;
  errors(): string;
}

const programs = new Set<ChildProcess>();
afterAll(() => {
  for (const program of programs) program.kill('SIGKILL');
});

export function startProgram(flags: readonly string[], env: Record<string, string> = {}): Program {
  const program = fileURLToPath(new URL('main.mjs', import.meta.url));
  const { ANTHROPIC_API_KEY: _, ANTHROPIC_BASE_URL: __, ...own } = process.env;
  const child = spawn(process.execPath, [program, '--port', '0', '--pace', '5', ...flags], {
    env: { ...own, CLAUDE_CODE_EXECUTABLE: cliPath, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  programs.add(child);
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    programs.delete(child);
    return { code, signal };
  });
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /page +(http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`The program has ended too soon: ${output}${errors}`)));
  });
  // Who waits for the end only is not disturbed.
  url.catch(() => {});
  return { child, url, ended, output: () => output, errors: () => errors };
}

/** Somebody who uses the server without its page. */
export class Person {
  readonly #url: string;
  cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  static async signedIn(url: string, name: string): Promise<Person> {
    const person = new Person(url);
    const response = await person.ask('POST', '/sign-in', { name });
    if (!response.ok) throw new Error(await response.text());
    person.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return person;
  }

  ask(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const cookie: Record<string, string> = this.cookie === '' ? {} : { cookie: this.cookie };
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { ...cookie, ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async send(
    session: string,
    prompt: string,
    idempotencyKey?: string,
  ): Promise<{ id: string; event: number }> {
    const response = await this.ask('POST', `/api/sessions/${session}/messages`, { prompt, idempotencyKey });
    if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }

  /** What is told of a conversation, up to a message. */
  async read(
    session: string,
    isLast: (message: HostMessage) => boolean,
    after = 0,
  ): Promise<{ id: number; message: HostMessage }[]> {
    const leaving = new AbortController();
    const headers = { 'last-event-id': String(after) };
    const response = await this.ask(
      'GET',
      `/api/sessions/${session}/events`,
      undefined,
      headers,
      leaving.signal,
    );
    if (!response.ok || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    const events: { id: number; message: HostMessage }[] = [];
    const parser = new EventParser();
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      for (const { id, data } of parser.push(text)) {
        const { message } = JSON.parse(data) as { message: HostMessage };
        events.push({ id: Number(id), message });
        if (!isLast(message)) continue;
        leaving.abort();
        return events;
      }
    }
    throw new Error('The stream has ended.');
  }

  async approvals(): Promise<HostApproval[]> {
    const response = await this.ask('GET', '/api/approvals');
    return (await response.json()).approvals;
  }

  async answer(approval: string, answer: HostAnswer): Promise<number> {
    return (await this.ask('POST', `/api/approvals/${approval}`, answer)).status;
  }

  async titles(): Promise<string[]> {
    const { conversations } = await (await this.ask('GET', '/conversations')).json();
    return conversations.map(({ title }: { title: string }) => title);
  }
}

export const isDone = (message: HostMessage): boolean =>
  message.type === 'host' && message.subtype === 'done';
export const isApproval = (message: HostMessage): boolean =>
  message.type === 'host' && message.subtype === 'approval';

/** What the model has said as a whole. */
export function saidIn(events: readonly { message: HostMessage }[]): string {
  return events
    .flatMap(({ message }) => (message.type === 'assistant' ? message.message.content : []))
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n');
}

export interface ControlledProxy extends AsyncDisposable {
  readonly url: string;
  /** Streams of events pass until they have said this, and wait there. */
  holdAfter(words: string): void;
  release(): void;
  /** Tears all connections apart, and lets none be made. An emulated "offline" would leave open streams alone. */
  cut(): void;
  mend(): void;
}

/** A proxy between a browser and the program, so that a test decides what arrives and when. */
export async function controlledProxy(): Promise<ControlledProxy> {
  const sockets = new Set<Socket>();
  const held = new Set<IncomingMessage>();
  let marker: string | undefined;
  let isCut = false;
  const passOn = (response: IncomingMessage, outgoing: ServerResponse) => {
    let said = '';
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.on('end', () => outgoing.end());
    response.on('data', (part: Buffer) => {
      outgoing.write(part);
      said += part;
      const isStream = response.headers['content-type']?.startsWith('text/event-stream');
      if (!isStream || marker === undefined || !said.includes(marker)) return;
      held.add(response);
      response.pause();
    });
  };
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const onward = request(incoming.url ?? '', { method, headers }, (response) => passOn(response, outgoing));
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on('connection', (socket: Socket) => {
    if (isCut) return socket.resetAndDestroy();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    holdAfter: (words) => {
      marker = words;
    },
    release: () => {
      marker = undefined;
      for (const response of held) response.resume();
      held.clear();
    },
    cut,
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
