// Panels of which one shows; arrow keys move along the tabs.

import { h } from './dom';

export class Tabs {
  readonly element = h('section', { class: 'side' });
  private readonly buttons: HTMLButtonElement[] = [];

  constructor(private readonly panels: [string, HTMLElement][]) {
    const bar = h('div', { class: 'tabs', role: 'tablist' });
    panels.forEach(([name, panel], i) => {
      const button = h('button', { type: 'button', role: 'tab', id: `tab-${i}` }, name);
      button.addEventListener('click', () => this.show(i));
      button.addEventListener('keydown', (event) => this.key(event, i));
      this.buttons.push(button);
      bar.append(button);
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', `tab-${i}`);
      panel.classList.add('panel');
    });
    this.element.append(bar, ...panels.map(([, panel]) => panel));
    this.show(0);
  }

  private key(event: KeyboardEvent, i: number): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.stopPropagation();
    const next = (i + step + this.panels.length) % this.panels.length;
    this.show(next);
    this.buttons[next].focus();
  }

  show(index: number): void {
    this.panels.forEach(([, panel], i) => {
      panel.hidden = i !== index;
      this.buttons[i].setAttribute('aria-selected', String(i === index));
      this.buttons[i].tabIndex = i === index ? 0 : -1;
    });
  }
}
