// A button that opens a list of things to do. Escape and a press elsewhere close it; arrows go through it.
import { h } from '../dom.js';

/** @typedef {import('../dom.js').Child} Child */

/**
 * @param {HTMLButtonElement} opener
 * @param {() => Child[]} items made each time that the menu opens
 * @param {{ up?: boolean, label: string }} options
 */
export function menu(opener, items, { up = false, label }) {
  const list = h('div', { class: 'menu-list', role: 'group', 'aria-label': label, hidden: true });
  const element = h('div', { class: up ? 'menu up' : 'menu', keydown: move, focusout: leave }, opener, list);
  opener.setAttribute('aria-expanded', 'false');
  opener.addEventListener('click', () => (list.hidden ? open() : close(true)));
  const elsewhere = (/** @type {Event} */ event) => {
    if (!element.contains(/** @type {Node} */ (event.target))) close(false);
  };

  function open() {
    list.replaceChildren(...items().filter((item) => item instanceof Node));
    list.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    document.addEventListener('pointerdown', elsewhere);
  }

  /** @param {boolean} back whether the focus goes back to the opener */
  function close(back) {
    if (list.hidden) return;
    list.hidden = true;
    opener.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', elsewhere);
    if (back) opener.focus();
  }

  /** @param {FocusEvent} event */
  function leave(event) {
    if (event.relatedTarget instanceof Node && !element.contains(event.relatedTarget)) close(false);
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    if (event.key === 'Escape' && !list.hidden) {
      event.stopPropagation();
      close(true);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    if (list.hidden) open();
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('a, button')]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    all[at < 0 && step < 0 ? all.length - 1 : (at + step + all.length) % all.length]?.focus();
  }

  list.addEventListener('click', (event) => {
    if (/** @type {Element} */ (event.target).closest('a, button')) close(true);
  });
  return element;
}
