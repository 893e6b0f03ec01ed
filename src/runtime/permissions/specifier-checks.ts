import type { SpecifierChecks } from '../../protocol/permissions/permission-rules.js';

/** What it takes to check the rules of a tool. The shell parser is loaded when a command is to be checked. */
export async function specifierChecks(tool: string): Promise<SpecifierChecks> {
  if (tool !== 'Bash') return {};
  const { matchesCommand } = await import('./commands/match-command.js');
  return { Bash: (specifier, { command }, kind) => matchesCommand(specifier, String(command ?? ''), kind) };
}
