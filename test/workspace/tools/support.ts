/** The built-in tools without a conversation around them: prepared and run as the runtime does it. */
import type { BuiltInContext } from '../../../src/runtime/tools/built-ins.js';
import type { RuntimeTool, ToolOutcome } from '../../../src/runtime/tools/tool-port.js';
import { workspaceTools } from '../../../src/workspace/tools/workspace-tools.js';
import type { Workspace } from '../../../src/workspace/workspace.js';

export interface Tools {
  /** A problem found before anybody would be asked has `refused`. */
  call(name: string, input: Record<string, unknown>): Promise<ToolOutcome & { refused?: string }>;
  find(name: string): Promise<RuntimeTool>;
}

export function toolsOn(workspace: Workspace, given: Partial<BuiltInContext> = {}): Tools {
  const context = {
    workspace,
    env: {},
    sessionId: '11111111-1111-4111-8111-111111111111',
    canAsk: true,
    additionalDirectories: () => [],
    isNamed: () => true,
    isForbidden: () => false,
    offers: () => true,
    mayRead: () => true,
    readsFreely: async (path: string) => path.startsWith(`${workspace.root}/`),
    onRead: async () => [],
    places: async () => ({ toolResults: '/kept/tool-results', tasks: '/kept/tasks', plans: '/kept/plans' }),
    setMode: () => {},
    ...given,
  } as unknown as BuiltInContext;
  const opened = workspaceTools(context);
  const find = async (name: string): Promise<RuntimeTool> => {
    const { tools } = await opened;
    const tool = tools().find((each) => each.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
  };
  return {
    find,
    call: async (name, input) => {
      const tool = await find(name);
      const prepared = tool
        .prepare?.(input)
        .catch((error) => ({ problem: String(error.message), access: undefined }));
      const { problem, access } = (await prepared) ?? {};
      if (problem !== undefined) return { content: problem, isError: true, refused: problem };
      return tool.run({ toolUseId: 'toolu_1', input, signal: new AbortController().signal, access });
    },
  };
}

export async function textAt(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await workspace.read(`${workspace.root}/${path}`),
  );
}
