/**
 * An element with properties, `text` and children. There is no way to give it HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Omit<HTMLElementTagNameMap[Name], 'style' | 'text'>> & { text?: string, data?: Record<string, string> }} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, { text, data, ...properties } = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  if (data !== undefined) Object.assign(made.dataset, data);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/**
 * The element of the page with this id.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no #${id}.`);
}

/** Outlines on a grid of 24. */
const SHAPES = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M9 6l6 6-6 6',
  close: 'M6 6l12 12M18 6L6 18',
  cross: 'M7 7l10 10M17 7L7 17',
  hand: 'M12 8v5M12 16.5v.01M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  pause: 'M9 6v12M15 6v12',
  pencil: 'M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5z',
  plus: 'M12 5v14M5 12h14',
  question:
    'M9.8 9.6a2.3 2.3 0 1 1 3.3 2c-.7.4-1.1.9-1.1 1.7M12 16.4v.01M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z',
  send: 'M12 19V5M5.5 11.5L12 5l6.5 6.5',
  stop: 'M7.5 7.5h9v9h-9z',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  tool: 'M14.5 6.5a4 4 0 0 1 5-1l-2.7 2.7 1 1 2.7-2.7a4 4 0 0 1-5.4 4.6L8 18.2a1.7 1.7 0 0 1-2.4-2.4l7.1-7.1a4 4 0 0 1 1.8-2.2z',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7',
};

/**
 * A picture beside words, or in a button that has a name.
 *
 * @param {keyof typeof SHAPES} name
 */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon', ...(name === 'stop' ? ['is-filled'] : []));
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', SHAPES[name]);
  svg.append(path);
  return svg;
}
