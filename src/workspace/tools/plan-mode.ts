import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import { OWN_TOOL, type RuntimeTool } from '../../runtime/tools/tool-port.js';

const NO_INPUT = { type: 'object', properties: {}, additionalProperties: true } as const;

/** The way into plan mode and, with the user's approval, out of it. */
export async function planTools(context: BuiltInContext): Promise<readonly RuntimeTool[]> {
  const file = await planFile(context);
  // The mode to go back to.
  let earlier: PermissionMode = 'default';
  const enter: RuntimeTool = {
    ...OWN_TOOL,
    name: 'EnterPlanMode',
    description:
      'Goes into plan mode, in which you only look and make a plan. Use it before work that could be done in several ways.',
    inputSchema: NO_INPUT,
    run: async () => {
      if (context.mode !== 'plan') {
        earlier = context.mode;
        context.setMode('plan');
      }
      const message = 'You are in plan mode: look at what is there and make a plan. Change nothing yet.';
      const content = `${message} Write the plan to ${file}, the only file that you may write, and call ExitPlanMode.`;
      return { content, detail: { message } };
    },
  };
  const exit: RuntimeTool = {
    name: 'ExitPlanMode',
    description: `Shows the user the plan, which you have written to ${file}, and leaves plan mode if the user approves it.`,
    inputSchema: NO_INPUT,
    isReadOnly: true,
    prepare: async ({ plan: _, planFilePath: __, ...input }) => {
      if (context.mode !== 'plan') throw new Error('This is not plan mode. EnterPlanMode leads to it.');
      const plan = await planIn(context, file);
      return {
        access: { kind: 'question' },
        input: plan === undefined ? input : { ...input, plan, planFilePath: file },
      };
    },
    run: async ({ input }) => {
      const written = await planIn(context, file);
      const plan = typeof input.plan === 'string' ? input.plan : written;
      const wasEdited = plan !== undefined && plan !== written;
      if (wasEdited) await context.workspace.write(file, new TextEncoder().encode(plan));
      // The user may have approved it together with another mode.
      if (context.mode === 'plan') context.setMode(earlier);
      earlier = 'default';
      const detail = {
        plan: plan ?? null,
        isAgent: false,
        filePath: file,
        ...(wasEdited ? { planWasEdited: true } : {}),
      };
      return { content: approved(plan, wasEdited, file), detail };
    },
  };
  return [enter, exit];
}

function approved(plan: string | undefined, wasEdited: boolean, file: string): string {
  if (plan === undefined) return 'The user has approved: plan mode is over, and you may begin.';
  const edited = wasEdited ? ', after changing it' : '';
  return `The user has approved the plan${edited}: plan mode is over, and you may begin. It is kept in ${file}\n\nThe plan:\n${plan}`;
}

async function planFile({ places, sessionId }: BuiltInContext): Promise<string> {
  return `${(await places()).plans}/plan-${sessionId.slice(0, 8)}.md`;
}

async function planIn({ workspace }: BuiltInContext, file: string): Promise<string | undefined> {
  const found = await workspace.stat(file);
  return found?.kind === 'file' ? new TextDecoder().decode(await workspace.read(file)) : undefined;
}
