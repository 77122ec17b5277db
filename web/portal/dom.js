// Elements, made without any HTML: what comes from the server is always text.

/** @typedef {Node | string | number | false | null | undefined} Child */
/** @typedef {{ [name: string]: string | number | boolean | null | undefined | ((event: any) => void) }} Props */

/**
 * Makes an element. A property that is a function listens to the event of its name (`click`); `true` and `false`
 * set and leave out an attribute, null and undefined leave it out, and any other value is its text.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...nodes(children));
  return element;
}

/**
 * The children that are there.
 *
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
export function nodes(children) {
  return children.flat().flatMap((child) => {
    if (child === null || child === undefined || child === false || child === '') return [];
    return [child instanceof Node ? child : String(child)];
  });
}

/**
 * Puts elements into a list by their keys. An element whose item is as before stays, with its focus and whatever
 * the reader opened in it; the focus of one that is replaced goes to the same place in the new one.
 *
 * @template Item
 * @param {HTMLElement} list
 * @param {Item[]} items
 * @param {(item: Item) => string} key
 * @param {(item: Item) => HTMLElement} make
 * @param {(item: Item) => unknown} [state] what an element depends on besides its item
 */
export function keyed(list, items, key, make, state) {
  const old = new Map([...list.children].map((element) => [/** @type {HTMLElement} */ (element).dataset.key, /** @type {HTMLElement} */ (element)]));
  const made = items.map((item) => {
    const name = key(item);
    const print = JSON.stringify([item, state?.(item)]);
    const before = old.get(name);
    if (before && prints.get(before) === print) return before;
    const element = make(item);
    element.dataset.key = name;
    prints.set(element, print);
    return element;
  });
  const focus = focusIn(list);
  const gone = [...list.children].some((element, i) => element !== made[i]) || list.children.length !== made.length;
  if (!gone) return;
  place(list, made);
  if (focus && !list.contains(document.activeElement)) {
    const row = made.find((element) => element.dataset.key === focus.key) ?? made[Math.min(focus.index, made.length - 1)];
    const target = row?.querySelectorAll(controls)[focus.control] ?? row?.querySelector(controls);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }
}

/** @type {WeakMap<Element, string>} */
const prints = new WeakMap();
const controls = 'a[href], button';

/**
 * Moves only what is elsewhere, since an element that is taken out loses its focus.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement[]} wanted
 */
function place(list, wanted) {
  const keep = new Set(wanted);
  for (const element of [...list.children]) if (!keep.has(/** @type {HTMLElement} */ (element))) element.remove();
  wanted.forEach((element, i) => {
    if (list.children[i] !== element) list.insertBefore(element, list.children[i] ?? null);
  });
}

/** @param {HTMLElement} list */
function focusIn(list) {
  const active = document.activeElement;
  const index = [...list.children].findIndex((element) => element.contains(active));
  if (index < 0) return null;
  const row = /** @type {HTMLElement} */ (list.children[index]);
  return { key: row.dataset.key, index, control: Math.max(0, [...row.querySelectorAll(controls)].indexOf(/** @type {Element} */ (active))) };
}
