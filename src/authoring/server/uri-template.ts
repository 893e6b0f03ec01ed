import { OptionError } from '../../protocol/base/errors.js';

/** The URI templates that MCP servers use: RFC 6570's `{name}` and `{+name}`, read backwards from a URI. */
export class UriTemplate {
  readonly #pattern: RegExp;
  readonly #names: string[] = [];

  constructor(template: string) {
    const parts = template.split(/(\{[^}]*\})/).map((part) => {
      const [, plus, name] = /^\{(\+?)(\w+)\*?\}$/.exec(part) ?? [];
      if (name === undefined && part.startsWith('{')) {
        throw new OptionError(
          'uriTemplate',
          template,
          `The URI template "${template}" has ${part}; it may have {name}, or {+name} for a value with slashes.`,
        );
      }
      if (name === undefined) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      this.#names.push(name);
      return plus === '+' ? '(.+)' : '([^/?#]+)';
    });
    this.#pattern = new RegExp(`^${parts.join('')}$`);
  }

  match(uri: string): Record<string, string> | undefined {
    const values = this.#pattern.exec(uri)?.slice(1);
    if (values === undefined) return undefined;
    return Object.fromEntries(this.#names.map((name, index) => [name, decode(values[index] ?? '')]));
  }
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
