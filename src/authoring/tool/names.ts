import { mcpToolName } from '../../mcp/tool-names.js';
import { OptionError } from '../../protocol/base/errors.js';
import { invalidTool } from '../schema/compile.js';

/** What the Messages API accepts as a tool's name; the model sees `mcp__<server>__<tool>`. */
const ALLOWED = /^[a-zA-Z0-9_-]+$/;
const MAX_LENGTH = 64;

export function checkToolName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw invalidTool(String(name), 'a tool needs a name: a non-empty string.');
  }
  if (!ALLOWED.test(name)) {
    throw invalidTool(
      name,
      `the name may have only letters, digits, "_" and "-". Try "${name.replace(/[^a-zA-Z0-9_-]+/g, '_')}".`,
    );
  }
  if (name.length > MAX_LENGTH) {
    throw invalidTool(name, `the name has ${name.length} characters; ${MAX_LENGTH} are allowed. Shorten it.`);
  }
}

export function checkServerName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw new OptionError('name', name, 'createSdkMcpServer needs a `name`: a non-empty string.');
  }
}

export function checkQualifiedName(server: string, tool: string): void {
  const qualified = mcpToolName(server, tool);
  if (qualified.length <= MAX_LENGTH) return;
  throw invalidTool(
    tool,
    `the model would see it as "${qualified}", which has ${qualified.length} characters; ` +
      `${MAX_LENGTH} are allowed. Shorten the tool's name or the name of its server "${server}".`,
  );
}
