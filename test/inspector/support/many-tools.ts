import type { Inspector } from '../../../src/inspector/inspector.js';
import { HandTape } from '../../observe/run/hand-tape.js';
import { inspectorOf } from './inspected-page.js';

const LONG = 'which_looks_up_the_number_of_pieces_in_every_warehouse_of_the_company';

/** A run with as many tools, each with a long name, of which none was called. */
export async function inspectorWithTools(count: number): Promise<Inspector> {
  const tools = Array.from(
    { length: count },
    (_, index) => `mcp__warehouse_inventory__tool_${String(index).padStart(3, '0')}_${LONG}`,
  );
  const tape = new HandTape({ options: { mcpServers: ['warehouse_inventory'] } })
    .prompt(0)
    .init(1, { tools, mcp_servers: [{ name: 'warehouse_inventory', status: 'connected' }] })
    .text(400, 'msg_1', 'No.')
    .end(500);
  return inspectorOf({ 'many.tape': tapeText(tape) });
}

export function tapeText({ head, lines }: HandTape): string {
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
