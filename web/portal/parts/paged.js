// A list that is walked by a cursor and kept up to date.
import { h, keyed } from '../dom.js';
import { bones, button, empty } from './basics.js';

/** @typedef {import('../api.js').Envelope} Envelope */
/** @typedef {import('../portal.js').Portal} Portal */

const pageSize = 20;
/** The largest page that is asked for at once. */
const largest = 100;
/** How many are looked through in a search. */
const searched = 500;

/**
 * @template Item
 * @typedef {object} ListOptions
 * @property {(cursor: string, size: number) => Promise<Envelope>} load a page of it
 * @property {(item: Item) => string} key
 * @property {(item: Item) => HTMLElement} row
 * @property {(item: Item) => unknown} [state] what a row depends on besides its item
 * @property {() => HTMLElement} none what stands there when it is empty
 * @property {(items: Item[], first: Envelope, complete: boolean) => void} [shown] what is shown is up to date
 */

/**
 * @template Item
 * @param {Portal} portal
 * @param {ListOptions<Item>} options
 */
export function pagedList(portal, { load, key, row, state, none, shown }) {
  const { words } = portal;
  const list = h('ul', { class: 'rows' });
  const more = button(words.showMore, { click: () => void next() });
  const foot = h('div', { class: 'more', hidden: true }, more);
  const element = h('div', { 'aria-busy': 'true' }, bones(5, words.loading));
  /** @type {Item[]} */
  let items = [];
  /** @type {string | null} */
  let cursor = null;
  /** @type {((item: Item) => boolean) | null} */
  let wanted = null;
  let generation = 0;
  let again = false;
  let busy = false;
  let retry = 0;

  /** Fetches as much as is shown, and shows what it is now. */
  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    const mine = generation;
    busy = true;
    clearTimeout(retry);
    try {
      /** @type {Item[]} */
      const fresh = [];
      /** @type {Envelope | null} */
      let first = null;
      let at = '';
      const enough = Math.max(pageSize, wanted ? searched : items.length);
      do {
        const page = await load(at, Math.min(largest, enough - fresh.length));
        first ??= page;
        fresh.push(...page.data);
        at = page.page?.nextCursor ?? '';
      } while (at && fresh.length < enough && mine === generation);
      if (mine !== generation) return;
      items = fresh;
      cursor = at || null;
      draw();
      if (first) shown?.(items, first, !cursor);
    } catch (failure) {
      if (mine === generation) fail();
    } finally {
      busy = false;
      if (again || mine !== generation) {
        again = false;
        void refresh();
      }
    }
  }

  async function next() {
    if (!cursor || busy) return;
    const mine = generation;
    busy = true;
    more.disabled = true;
    const page = await portal.act(() => load(cursor ?? '', pageSize));
    busy = false;
    more.disabled = false;
    if (mine !== generation || again || !page) {
      again = false;
      return void refresh();
    }
    const before = items.length;
    const have = new Set(items.map(key));
    items = [...items, .../** @type {Item[]} */ (page.data).filter((item) => !have.has(key(item)))];
    cursor = page.page?.nextCursor ?? null;
    draw();
    if (!cursor) /** @type {HTMLElement | null} */ (list.children[before]?.querySelector('a, button'))?.focus();
  }

  function draw() {
    element.removeAttribute('aria-busy');
    const visible = wanted ? items.filter(wanted) : items;
    foot.hidden = !cursor || wanted !== null;
    if (visible.length === 0) {
      list.replaceChildren();
      element.replaceChildren(none());
      return;
    }
    keyed(list, visible, key, row, state);
    if (!element.contains(list)) element.replaceChildren(list, foot);
  }

  function fail() {
    element.removeAttribute('aria-busy');
    if (items.length === 0) element.replaceChildren(empty('away', words.failed, button(words.retry, { click: () => void refresh() })));
    retry = setTimeout(() => void refresh(), 5000 + 5000 * Math.random());
  }

  void refresh();
  return {
    element,
    refresh,
    /** Draws the rows again whose state has changed. */
    draw,
    /** Begins anew, as another list. */
    reset() {
      generation++;
      items = [];
      cursor = null;
      list.replaceChildren();
      element.setAttribute('aria-busy', 'true');
      element.replaceChildren(bones(5, words.loading));
      void refresh();
    },
    /**
     * Shows only some, of the first that the list has.
     *
     * @param {((item: Item) => boolean) | null} only
     */
    filter(only) {
      const more = only && !wanted;
      wanted = only;
      if (more || !only) void refresh();
      else draw();
    },
    close() {
      clearTimeout(retry);
    },
  };
}
