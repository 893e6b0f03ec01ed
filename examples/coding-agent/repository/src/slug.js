/**
 * The part of an address that names a page: `Fish & Chips` is `fish-chips`.
 *
 * @param {string} title
 */
export function slug(title) {
  return title
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/, '-')
    .replace(/^-|-$/g, '');
}
