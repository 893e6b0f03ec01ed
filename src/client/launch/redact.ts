const SECRET_NAME = /key|token|secret|password|credential|auth/i;
const JSON_FLAGS = new Set(['--mcp-config', '--settings', '--managed-settings', '--json-schema', '--agents']);
const PROMPT_FLAGS = new Set(['--system-prompt', '--append-system-prompt']);
const SHOWN = 120;

/** A command line that is safe to show in an error: secret or long values are described, not printed. */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const previous = args[index - 1] ?? '';
    if (JSON_FLAGS.has(previous) && arg.trimStart().startsWith('{'))
      return `<JSON, ${arg.length} characters>`;
    if (PROMPT_FLAGS.has(previous)) return `<text, ${arg.length} characters>`;
    if (SECRET_NAME.test(previous) && previous.startsWith('--') && !arg.startsWith('--')) return '<redacted>';
    const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (flag !== undefined && value !== undefined) {
      if (SECRET_NAME.test(flag)) return `${flag}=<redacted>`;
      return value.length > SHOWN ? `${flag}=<${value.length} characters>` : arg;
    }
    return arg.length > SHOWN * 2 ? `<${arg.length} characters>` : arg;
  });
}
