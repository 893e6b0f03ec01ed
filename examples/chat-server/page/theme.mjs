import { icon } from './dom.mjs';

/** The system's choice counts until somebody makes another. @param {HTMLButtonElement} button */
export function themeButton(button) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.replaceChildren(icon(isDark() ? 'sun' : 'moon'));
    button.setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
    button.title = button.ariaLabel ?? '';
  };
  button.addEventListener('click', () => {
    dataset.theme = isDark() ? 'light' : 'dark';
    localStorage.setItem('theme', dataset.theme);
    show();
  });
  dark.addEventListener('change', show);
  show();
}
