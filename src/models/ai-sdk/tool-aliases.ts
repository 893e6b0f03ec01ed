/** Most providers refuse tool names that are longer than this. */
const LONGEST_NAME = 64;

/**
 * Names of tools as the provider gets them. One that is too long gets a shorter alias, which is the same in every
 * request, so that the history stays true and a cached prefix stays cached.
 */
export class ToolAliases {
  readonly #names = new Map<string, string>();

  aliasOf(name: string): string {
    if (name.length <= LONGEST_NAME) return name;
    const suffix = `_${hash(name)}`;
    const alias = `${name.slice(0, LONGEST_NAME - suffix.length)}${suffix}`;
    this.#names.set(alias, name);
    return alias;
  }

  nameOf(alias: string): string {
    return this.#names.get(alias) ?? alias;
  }
}

/** FNV-1a, 32 bits: the rest of the name makes a collision within one list of tools all but impossible. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value.toString(36);
}
