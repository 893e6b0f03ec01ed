// Decides which hooks are called for a tool, for callbacks and for command hooks from settings alike.

/** Names of letters, digits, `_` and `-`, separated by `|` or `,`. Anything else is a regular expression. */
const NAMES = /^[\w\s,|-]*$/;

/**
 * A list of names matches exactly, an expression anywhere in the subject. Without a subject, everything
 * matches.
 */
export function matchesHook(matcher: string | undefined, subject: string | undefined): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*' || subject === undefined) return true;
  if (!NAMES.test(matcher)) return new RegExp(matcher).test(subject);
  return matcher.split(/[|,]/).some((name) => name.trim() === subject);
}

/** Why a matcher can never match, or undefined. */
export function hookMatcherProblem(matcher: string | undefined): string | undefined {
  if (matcher === undefined || matcher === '*' || NAMES.test(matcher)) return undefined;
  try {
    new RegExp(matcher);
    return undefined;
  } catch {
    return `"${matcher}" is not a valid regular expression. Write names ("Read|mcp__calc__add") or an expression ("mcp__calc__.*")`;
  }
}
