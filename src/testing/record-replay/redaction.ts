import { hostEnvironment } from '../../protocol/base/host-process.js';
import { REDACTED, SecretValues } from '../../protocol/base/secret-values.js';

/** Keys and tokens whose form tells what they are. */
const KNOWN_FORMS = [
  /\bsk-[\w-]{16,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bxox[abprs]-[\w-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g,
  /(?<=\bBearer )[\w.~+/-]{16,}=*/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----/gs,
];

const SECRET_NAME = /(key|token|secret|password|credentials?|auth)s?(_|$)/i;
/** Shorter values, and plain words, are switches and modes. */
const SHORTEST = 12;

/**
 * Removes secrets from what is written to a file: the given ones, what the environment holds under a name
 * such as API_KEY, and keys and tokens of a known form.
 */
export function redaction(given: readonly string[] = []): (text: string) => string {
  const secrets = new SecretValues();
  secrets.addValues([...given, ...secretsOfEnvironment()]);
  return (text) => KNOWN_FORMS.reduce((shown, form) => shown.replaceAll(form, REDACTED), secrets.hide(text));
}

function secretsOfEnvironment(): string[] {
  return Object.entries(hostEnvironment()).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.length >= SHORTEST && /\d/.test(value) && /[a-z]/i.test(value)
      ? [value]
      : [],
  );
}
