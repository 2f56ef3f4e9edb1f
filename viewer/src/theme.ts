// Light or dark: the system's choice until the reader chooses.

import { h } from './dom';

const kKey = 'grapple-theme';

function stored(): string | null {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null; // a page from disk may have no storage
  }
}

function systemTheme(): 'dark' | 'light' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = stored() ?? systemTheme();
}

export function themeButton(changed: () => void): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet', id: 'theme', title: 'light or dark', 'aria-label': 'light or dark' }, '◐');
  button.addEventListener('click', () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(kKey, next);
    } catch {
      // the choice then lasts as long as the page
    }
    changed();
  });
  return button;
}
