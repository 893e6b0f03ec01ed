import { isRecord } from '../protocol/base/kinds.js';
import { REDACTED, SecretValues, secretVariables } from '../protocol/base/secret-values.js';

/** Keys and tokens whose form tells what they are. */
const KNOWN_FORMS = [
  /\bsk-[\w-]{16,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g,
  /(?<=\b(?:Bearer|Basic) )[\w.~+/-]{8,}=*/gi,
  /(?<=:\/\/[^\s/:@"'\\]*:)[^\s/:@"'\\]{3,}(?=@)/g,
  // Also one whose end is missing.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^"])*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  // A variable with a telling name and its value: `API_KEY=…`, `"API_KEY": "…"`, also inside JSON in a text.
  /(?<=\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:=["']?|\\*["']\s*:\s*\\*["']))[^\s"'\\]{4,}/g,
  // A header or field with a telling name, in JSON that is a text.
  /(?<=\\*"(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|client[-_]?secret|password|passwd|secret)\\*"\s*:\s*\\*")[^"\\]{3,}/gi,
];

/** Fields whose value is a secret if it is a text. */
const SECRET_FIELD =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|client[-_]?secret|password|passwd|secret)$/i;

/**
 * Whether lines may have any of these in them. Most have none, and the patterns above are too slow for every line of a
 * conversation. What is searched for together decides about the speed, and was found by measuring: an expression skips
 * several characters at a time if its alternatives are long and begin rarely.
 */
const SUSPICIOUS = [
  /[Bb]earer |uthoriz|ecret\\*"|ccess[-_]?[Tt]oken|fresh[-_]?[Tt]oken|SECRET|CREDENTIAL|BEARER/,
  /hub_pat_|glpat-|npm_|[Bb]asic |assw|AKIA|AIza|AUTHORIZ/,
  /xox[abeprs]-|ookie|pi[-_]?[Kk]ey|id[-_]?[Tt]oken|TOKEN|PASSW/,
];
/** With a rare first letter, which is faster still. */
const SUSPICIOUS_WORDS = ['@', 'KEY', 'COOKIE', 'BASIC'];
/** Written otherwise than we write it, so that it hides what it is. */
const ESCAPES = ['\\u', '\\/'];

function isSuspicious(lines: string): boolean {
  return (
    SUSPICIOUS_WORDS.some((word) => lines.includes(word)) ||
    ESCAPES.some((form) => lines.includes(form)) ||
    // In two steps, each from a rarer letter to the whole.
    (lines.includes('k-') && lines.includes('sk-')) ||
    (lines.includes('yJ') && lines.includes('eyJ')) ||
    (lines.includes('gh') && /gh[pousr]_/.test(lines)) ||
    SUSPICIOUS.some((form) => form.test(lines))
  );
}

const MAX_DEPTH = 200;

/** Removes secrets from what is written to a file: what is known to be one, and what has the form of one. */
export class Redactor {
  readonly #known: Pick<SecretValues, 'hide' | 'mayBeIn'>;

  constructor(known: Pick<SecretValues, 'hide' | 'mayBeIn'>) {
    this.#known = known;
  }

  /** Whether there may be a secret in lines of JSON: false means that they are the same without secrets. */
  mayChange(lines: string): boolean {
    return isSuspicious(lines) || this.#known.mayBeIn(lines);
  }

  /** A line of JSON without secrets. */
  line(json: string): string {
    if (!this.mayChange(json)) return json;
    return JSON.stringify(this.value(JSON.parse(json)));
  }

  text(text: string): string {
    if (!this.mayChange(text)) return text;
    return KNOWN_FORMS.reduce((shown, form) => shown.replaceAll(form, REDACTED), this.#known.hide(text));
  }

  /** A copy of a JSON value without secrets. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (depth > MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.value(item, depth + 1));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.text(name),
        typeof item === 'string' && SECRET_FIELD.test(name) ? REDACTED : this.value(item, depth + 1),
      ]),
    );
  }
}

/** For what belongs to no conversation: the given secrets, and those of an environment. */
export function redactorOf(
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Redactor {
  const secrets = new SecretValues();
  secrets.addValues([...given, ...secretVariables(env)]);
  return new Redactor(secrets);
}
