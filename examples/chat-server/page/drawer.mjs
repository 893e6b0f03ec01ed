import { byId, icon } from './dom.mjs';

/** On a narrow screen the list of conversations slides over the page. */
export function drawer() {
  const side = byId('side', HTMLElement);
  const veil = byId('veil', HTMLDivElement);
  const chat = byId('chat', HTMLElement);
  const opener = byId('open-side', HTMLButtonElement);
  const closer = byId('close-side', HTMLButtonElement);
  const narrow = matchMedia('(max-width: 760px)');
  opener.replaceChildren(icon('menu'));
  closer.replaceChildren(icon('close'));

  let isOpen = false;
  const show = () => {
    const isOver = isOpen && narrow.matches;
    side.classList.toggle('is-open', isOver);
    // What cannot be seen cannot be reached by the keyboard either.
    side.inert = narrow.matches && !isOver;
    chat.inert = isOver;
    veil.hidden = !isOver;
    opener.setAttribute('aria-expanded', String(isOver));
  };
  const close = () => {
    const wasOpen = isOpen && narrow.matches;
    isOpen = false;
    show();
    if (wasOpen) opener.focus();
  };
  opener.addEventListener('click', () => {
    isOpen = true;
    show();
    closer.focus();
  });
  closer.addEventListener('click', close);
  veil.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || veil.hidden) return;
    event.preventDefault();
    close();
  });
  narrow.addEventListener('change', show);
  show();
  return { close };
}
