// Elements from code. Text always becomes a text node: nothing in a scenario can turn into markup.

type Child = Node | string | number | null | undefined;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: HTMLElement, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
}

/** A table, with a head if titles are given; cells are text, or elements. */
export function table(head: string[], rows: (Child[] | HTMLTableRowElement)[]): HTMLTableElement {
  const body = rows.map((row) =>
    row instanceof HTMLTableRowElement ? row : h('tr', {}, ...row.map((cell) => h('td', {}, cell))),
  );
  const titles = h('thead', {}, h('tr', {}, ...head.map((text) => h('th', { scope: 'col' }, text))));
  return h('table', {}, head.length > 0 ? titles : null, h('tbody', {}, ...body));
}

/** Six significant digits, as an engineer writes them. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const magnitude = Math.abs(value);
  const text =
    magnitude >= 1e6 || magnitude < 1e-4
      ? value.toExponential(5).replace(/\.?0+e/, 'e')
      : String(Number(value.toPrecision(6)));
  return text.replaceAll('-', '−').replace('e+', 'e');
}

export function withUnit(value: number | null | undefined, unit: string): string {
  return unit === '' || unit === '1' ? number(value) : `${number(value)} ${prettyUnit(unit)}`;
}

/** "kg*m^2" -> "kg·m²". */
export function prettyUnit(unit: string): string {
  const powers: Record<string, string> = { '2': '²', '3': '³', '4': '⁴' };
  return unit.replace(/\*/g, '·').replace(/\^([234])/g, (_, p: string) => powers[p]);
}
