import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import type { RuntimeTool } from '../../runtime/tools/tool-port.js';
import type { ToolSet } from '../../runtime/tools/tool-source.js';
import { FileMemory } from '../files/file-memory.js';
import { askUserQuestion } from './ask-user-question.js';
import { bashTool } from './bash.js';
import type { FileTools } from './changed-file.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { notebookEditTool } from './notebook-edit.js';
import { planTools } from './plan-mode.js';
import { readTool } from './read.js';
import { ShellSession } from './shell-session.js';
import { taskStopTool } from './task-stop.js';
import { writeTool } from './write.js';

/** The built-in tools that work on a workspace, for one agent. */
export async function workspaceTools(context: BuiltInContext): Promise<ToolSet> {
  const { workspace } = context;
  const shell = new ShellSession(workspace, () => context.additionalDirectories());
  const files: FileTools = {
    context,
    memory: context.files ?? new FileMemory(),
    here: async () => ({ root: await shell.cwd(), home: workspace.home }),
  };
  const tools: readonly RuntimeTool[] = [
    readTool(files),
    writeTool(files),
    editTool(files),
    notebookEditTool(files),
    ...(workspace.exec === undefined ? [] : [bashTool(context, shell)]),
    taskStopTool(context),
    ...(context.canAsk ? [askUserQuestion, ...(await planTools(context))] : []),
  ];
  const searching = [globTool(files), grepTool(files)];
  return {
    version: 0,
    tools: () => (searchesFiles(context) ? [...tools, ...searching] : tools),
    close: () => shell.close(),
  };
}

/** Whoever has a shell searches with it; two ways to do the same would cost tokens in every request. */
function searchesFiles({ workspace, isNamed, isForbidden }: BuiltInContext): boolean {
  return isNamed('Glob') || isNamed('Grep') || workspace.exec === undefined || isForbidden('Bash');
}
