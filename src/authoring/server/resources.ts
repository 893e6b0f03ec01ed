import type { McpResourceContents } from '../../mcp/types.js';
import { OptionError } from '../../protocol/base/errors.js';
import { base64Of } from '../results/content.js';
import { UriTemplate } from './uri-template.js';

/** What reading a resource may give: text, bytes, or contents in MCP's own form. */
export type ResourceData = string | Uint8Array | McpResourceContents | readonly McpResourceContents[];

export interface ResourceContext {
  readonly signal: AbortSignal;
  readonly sessionId: string | undefined;
}

interface ResourceFields {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Record<string, unknown> | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface StaticResource extends ResourceFields {
  uri: string;
  // Here and below: so that the compiler knows which of the two it reads, and the types of `read` with it.
  uriTemplate?: undefined;
  size?: number | undefined;
  read(uri: string, context: ResourceContext): ResourceData | Promise<ResourceData>;
}

export interface TemplatedResource extends ResourceFields {
  /** With variables in braces: `{id}` for one step of a path, `{+path}` for the rest of it. */
  uriTemplate: string;
  uri?: undefined;
  read(
    uri: string,
    variables: Record<string, string>,
    context: ResourceContext,
  ): ResourceData | Promise<ResourceData>;
  /** What exists, for `resources/list`. */
  list?(): readonly ListedResource[] | Promise<readonly ListedResource[]>;
  /** Proposals for a variable, by its name. */
  complete?: Record<string, (value: string) => readonly string[] | Promise<readonly string[]>> | undefined;
}

export type ResourceDefinition = StaticResource | TemplatedResource;

export type ListedResource = Omit<StaticResource, 'read' | 'uriTemplate'>;

/** The resources of one server. */
export class ResourceRegistry {
  readonly #fixed = new Map<string, StaticResource>();
  readonly #templates = new Map<string, { resource: TemplatedResource; template: UriTemplate }>();

  add(resource: ResourceDefinition): void {
    const place = resource.uri ?? resource.uriTemplate ?? '';
    if (this.#fixed.has(place) || this.#templates.has(place)) {
      throw new OptionError('resources', place, `There are two resources at "${place}". Remove one of them.`);
    }
    if (resource.uri !== undefined) this.#fixed.set(resource.uri, resource);
    else {
      const template = new UriTemplate(resource.uriTemplate);
      this.#templates.set(resource.uriTemplate, { resource, template });
    }
  }

  remove(uriOrTemplate: string): boolean {
    return this.#fixed.delete(uriOrTemplate) || this.#templates.delete(uriOrTemplate);
  }

  get isEmpty(): boolean {
    return this.#fixed.size === 0 && this.#templates.size === 0;
  }

  async list(): Promise<ListedResource[]> {
    const fixed = [...this.#fixed.values()].map(({ read: _read, ...listed }) => listed);
    const lists = await Promise.all(
      [...this.#templates.values()].map(async ({ resource }) => (await resource.list?.()) ?? []),
    );
    return [...fixed, ...lists.flat()];
  }

  listTemplates(): object[] {
    return [...this.#templates.values()].map(({ resource }) => {
      const { read: _read, list: _list, complete: _complete, ...listed } = resource;
      return listed;
    });
  }

  /** undefined when no resource has that URI. */
  async read(uri: string, context: ResourceContext): Promise<McpResourceContents[] | undefined> {
    const fixed = this.#fixed.get(uri);
    if (fixed !== undefined) return contentsOf(uri, fixed.mimeType, await fixed.read(uri, context));
    for (const { resource, template } of this.#templates.values()) {
      const variables = template.match(uri);
      if (variables === undefined) continue;
      return contentsOf(uri, resource.mimeType, await resource.read(uri, variables, context));
    }
    return undefined;
  }

  async complete(uriTemplate: string, variable: string, value: string): Promise<readonly string[]> {
    const { resource } = this.#templates.get(uriTemplate) ?? {};
    return (await resource?.complete?.[variable]?.(value)) ?? [];
  }
}

function contentsOf(uri: string, mimeType: string | undefined, data: ResourceData): McpResourceContents[] {
  const kind = mimeType === undefined ? {} : { mimeType };
  if (typeof data === 'string') return [{ uri, ...kind, text: data }];
  if (data instanceof Uint8Array) return [{ uri, ...kind, blob: base64Of(data) }];
  return Array.isArray(data) ? [...data] : [data as McpResourceContents];
}
