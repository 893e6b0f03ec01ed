import { signal } from '@preact/signals-core';

const KEPT_AS = 'tenon-inspector-theme';

type Theme = 'system' | 'light' | 'dark';

const theme = signal<Theme>(kept());

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset.theme;
  else dataset.theme = theme.value;
}

/** To the other one of what is seen now. */
export function toggleTheme(): void {
  const isDark =
    theme.value === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark';
  theme.value = isDark ? 'light' : 'dark';
  applyTheme();
  try {
    localStorage.setItem(KEPT_AS, theme.value);
  } catch {
    // Storage may be switched off.
  }
}

function kept(): Theme {
  try {
    const value = localStorage.getItem(KEPT_AS);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}
