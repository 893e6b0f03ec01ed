/** An editor's half of the Agent Client Protocol, version 1: JSON-RPC, one message per line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../../support/patience.js';

export type Json = Record<string, unknown>;

export interface SessionUpdate extends Json {
  sessionUpdate: string;
  toolCallId?: string;
  title?: string;
  status?: string;
  content?: unknown;
}

/** Answers a request of the agent; what it throws becomes a JSON-RPC error. */
export type Answer = (params: Json) => Json;

export interface AcpClient extends AsyncDisposable {
  request(method: string, params: Json): Promise<Json>;
  notify(method: string, params: Json): void;
  /** What the agent told about its sessions, in order. */
  readonly updates: SessionUpdate[];
  /** The text that the agent said so far. */
  said(): string;
  /** The last words of the agent's log, for a test that fails. */
  log(): string;
  /** Ends the agent's input and gives its exit code; a signal's name if it did not leave by itself. */
  leave(): Promise<number | string | null>;
}

interface Waiting {
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** Starts an agent that speaks the protocol over stdio. `answers` serve what the agent asks of the editor. */
export function acpClient(
  program: string,
  env: Record<string, string>,
  answers: Record<string, Answer>,
): AcpClient {
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map<number, Waiting>();
  const updates: SessionUpdate[] = [];
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000);
  });
  // An agent that dies with requests open is seen by them, not by the pipe.
  child.stdin.on('error', () => {});
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The agent left (${signal ?? code}).\n${log}`));
  });
  const send = (message: Json) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Json;
    if (typeof message.method === 'string') serve(message, answers, updates, send);
    else settle(message, waiting);
  });
  let nextId = 0;
  return {
    updates,
    said: () => updates.flatMap(spokenText).join(''),
    log: () => log,
    notify: (method, params) => void send({ method, params }),
    request: (method, params) => {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
    leave: () => leave(child),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await leave(child);
    },
  };
}

function serve(
  { id, method, params }: Json,
  answers: Record<string, Answer>,
  updates: SessionUpdate[],
  send: (message: Json) => void,
): void {
  const given = params as Json;
  if (method === 'session/update') updates.push(given.update as SessionUpdate);
  if (id === undefined) return;
  const answer = answers[String(method)];
  if (answer === undefined) send({ id, error: { code: -32601, message: `not served: ${method}` } });
  else send({ id, result: answer(given) });
}

function settle({ id, result, error }: Json, waiting: Map<number, Waiting>): void {
  const request = waiting.get(Number(id));
  waiting.delete(Number(id));
  if (error === undefined) request?.resolve(result as Json);
  else request?.reject(new Error(JSON.stringify(error)));
}

function spokenText({ sessionUpdate, content }: SessionUpdate): string[] {
  return sessionUpdate === 'agent_message_chunk' ? [String((content as Json).text)] : [];
}

async function leave(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.stdin?.end();
    await once(child, 'exit');
    clearTimeout(timer);
  }
  return child.signalCode ?? child.exitCode;
}
