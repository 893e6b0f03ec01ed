// @ts-check
/**
 * The floor: split lines, parse, call the handler, stringify, write. Nothing else, so nothing can be faster by much, and
 * nobody would want to use it.
 */
import { spawn } from 'node:child_process';

/**
 * @param {string} name
 * @param {string} _description
 * @param {unknown} _schema
 * @param {(input: Record<string, unknown>) => Promise<unknown>} handler
 */
export function tool(name, _description, _schema, handler) {
  return { name, handler };
}

/** @param {{ name: string, tools: ReturnType<typeof tool>[] }} definition */
export function createSdkMcpServer({ name, tools }) {
  return { name, handlers: new Map(tools.map((each) => [each.name, each.handler])) };
}

/**
 * @param {{ prompt: string | AsyncIterable<object>, options: {
 *   pathToClaudeCodeExecutable: string, env: Record<string, string>,
 *   mcpServers?: Record<string, ReturnType<typeof createSdkMcpServer>> } }} parameters
 */
export function query({ prompt, options }) {
  const child = spawn(options.pathToClaudeCodeExecutable, [], {
    env: options.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  /** @param {object} frame */
  const write = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  /** @type {() => void} */
  let initialized = () => {};
  const initialization = new Promise((resolve) => {
    initialized = () => resolve(undefined);
  });
  write({ type: 'control_request', request_id: '1', request: { subtype: 'initialize' } });
  if (typeof prompt === 'string') write({ type: 'user', message: { role: 'user', content: prompt } });

  /** @param {Record<string, any>} frame */
  const serve = async ({ request_id, request }) => {
    const { name, arguments: input } = request.message.params;
    const handler = options.mcpServers?.[request.server_name]?.handlers.get(name);
    const result = await handler?.(input);
    const mcp_response = { jsonrpc: '2.0', id: request.message.id, result };
    write({
      type: 'control_response',
      response: { subtype: 'success', request_id, response: { mcp_response } },
    });
  };

  async function* messages() {
    /** @type {Buffer[]} */
    let pending = [];
    for await (const chunk of child.stdout) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        const piece = chunk.subarray(start, end);
        const line = pending.length === 0 ? piece : Buffer.concat([...pending, piece]);
        pending = [];
        start = end + 1;
        const frame = JSON.parse(line.toString());
        if (frame.type === 'control_request') void serve(frame);
        else if (frame.type === 'control_response') initialized();
        else {
          if (frame.type === 'result') child.stdin.end();
          yield frame;
        }
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
    }
  }
  const stream = messages();
  // Reading begins with the process and not with the reader, as in the others.
  const first = stream.next();
  return {
    initializationResult: () => initialization,
    async *[Symbol.asyncIterator]() {
      const { value, done } = await first;
      if (done) return;
      yield value;
      yield* stream;
    },
    close: () => void child.stdin.end(),
  };
}
