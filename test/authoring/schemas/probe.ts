/** A tool that tells what it got, on a server of its own. */
import { createSdkMcpServer, type InputSchema, type ObjectSchema, tool } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

export interface Probe {
  /** The schema as such a client lists it. */
  listed(audience: 'any' | 'claude-code'): Promise<ObjectSchema>;
  /** The arguments that the handler got for what a model sent, or the text of the failed call. */
  given(args: unknown): Promise<unknown>;
  /** The same, with what was repaired. */
  call(args: unknown): Promise<{ args: unknown; repaired: readonly string[]; meta: unknown }>;
}

export async function probe(schema: InputSchema): Promise<Probe> {
  let last: { args: unknown; repaired: readonly string[] } | undefined;
  const definition = tool('probe', 'Tells what it got', schema, (args, { repairedArguments }) => {
    last = { args, repaired: repairedArguments };
    return 'called';
  });
  const server = createSdkMcpServer({ name: 'test', tools: [definition] }).instance;
  const wire = await McpWire.to(server);
  const call = async (args: unknown) => {
    last = undefined;
    const result = await wire.call('probe', args);
    return { result, called: last as { args: unknown; repaired: readonly string[] } | undefined };
  };
  return {
    async listed(audience) {
      const [listed] = await server.listTools(audience);
      // Over the wire: what JSON drops must not count.
      return JSON.parse(JSON.stringify(listed?.inputSchema));
    },
    async given(args) {
      const { result, called } = await call(args);
      return result.isError ? result.content[0]?.text : called?.args;
    },
    async call(args) {
      const { result, called } = await call(args);
      if (called === undefined) throw new Error(`not called: ${JSON.stringify(result.content)}`);
      return { ...called, meta: (result as { _meta?: unknown })._meta };
    },
  };
}
