import type { PermissionUpdate } from '../../../protocol/permissions/permissions.js';

/** Commands that run others: a rule for all that they run would allow everything. */
const RUNNERS =
  /^(bash|sh|zsh|dash|ksh|fish|env|xargs|nohup|nice|time|timeout|sudo|doas|su|command|exec|eval|source|stdbuf|setsid|python\d*|node|perl|ruby|php|npx|bunx|ssh|docker)$/;

/** The rule that would allow this command: with its subcommand and anything behind it, or exactly as it is. */
function ruleFor(command: string): string {
  const [name = '', second = ''] = command.split(/\s+/);
  const isSubcommand = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(second);
  const isNameable = !name.includes('=') && !RUNNERS.test(name.slice(name.lastIndexOf('/') + 1));
  return isSubcommand && isNameable ? `${name} ${second} *` : command;
}

/** Rules for these commands, to be kept with the project for its user. */
export function commandSuggestion(commands: readonly string[]): PermissionUpdate {
  const rules = [...new Set(commands.map((each) => ruleFor(each.trim())))];
  return {
    type: 'addRules',
    rules: rules.map((ruleContent) => ({ toolName: 'Bash', ruleContent })),
    behavior: 'allow',
    destination: 'localSettings',
  };
}
