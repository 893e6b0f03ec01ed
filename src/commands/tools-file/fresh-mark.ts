/** Marks the address of a module as one of the n-th loading of a tools file: the same file is another module then. */
export function marked(url: string, load: number): string {
  const address = new URL(url);
  address.searchParams.set('tenon-load', String(load));
  return address.href;
}

/** The number in such an address. */
export function loadOf(url: string | undefined): number | undefined {
  const [, load] = /[?&]tenon-load=(\d+)/.exec(url ?? '') ?? [];
  return load === undefined ? undefined : Number(load);
}

/** Nobody should see the mark. */
export function unmarked(text: string): string {
  return text.replaceAll(/[?&]tenon-load=\d+/g, '');
}
