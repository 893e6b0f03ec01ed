import { approximateBytes } from '../protocol/base/approximate-bytes.js';
import { TenonError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';

/** The methods that list something, page by page, and the field in which their results have it. */
export const LISTED_FIELDS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** What is called by its name; resources have an address, and many have no name. */
const NAMED: ReadonlySet<string> = new Set(['tools/list', 'prompts/list']);

/** Counts what a server lists, over all pages, and throws as soon as it is too much or not a list. */
export class ListBounds {
  readonly #server: string;
  readonly #method: string;
  #pages = 0;
  #items = 0;
  #bytes = 0;

  constructor(server: string, method: string) {
    this.#server = server;
    this.#method = method;
  }

  /** The items of the next page. */
  take<Item>(page: Readonly<Record<string, unknown>>, field: string): Item[] {
    const items = page[field] ?? [];
    if (!Array.isArray(items)) throw this.#refusal(`has no list of \`${field}\``, 'Let it follow MCP');
    this.#pages += 1;
    this.#items += items.length;
    if (this.#pages > LIMITS.maxListPages) {
      throw this.#refusal(`has more than ${LIMITS.maxListPages} pages`, 'Let it send larger pages');
    }
    if (this.#items > LIMITS.maxListItems) {
      throw this.#refusal(`has more than ${LIMITS.maxListItems} entries`, 'Let it list less');
    }
    this.#bytes += approximateBytes(items, LIMITS.maxListBytes);
    if (this.#bytes > LIMITS.maxListBytes) {
      throw this.#refusal(`has more than ${megabytes(LIMITS.maxListBytes)}`, 'Let it list less');
    }
    for (const item of items) this.#checkName(item);
    return items;
  }

  #checkName(item: unknown): void {
    if (!isRecord(item)) throw this.#refusal('has an entry that is not an object', 'Let it follow MCP');
    const { name } = item;
    if (typeof name === 'string' && name.length > LIMITS.maxNameChars) {
      const length = `has a name of ${name.length} characters, more than ${LIMITS.maxNameChars}`;
      throw this.#refusal(length, 'Let it have a shorter name');
    }
    if (typeof name !== 'string' && NAMED.has(this.#method)) {
      throw this.#refusal('has an entry without a name', 'Let it follow MCP');
    }
  }

  #refusal(problem: string, remedy: string): TenonError {
    return new TenonError(
      'SERVER_FAILED',
      `The MCP server "${this.#server}" cannot be used as it is: its ${this.#method} ${problem}. ${remedy}, or do without this server.`,
    );
  }
}

export function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}
