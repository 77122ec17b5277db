// A page with a short list of things that are added, changed, enabled and disabled, and never deleted.
import { h } from '../dom.js';
import { badge, bones, button, empty, pageHead } from '../parts/basics.js';
import { icon } from '../parts/icon.js';
import { formDialog } from './form.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('./form.js').Field} Field */
/** @typedef {{ title: string, lead: string, add: string, edit: string, none: { title: string, text: string } }} Texts */

/**
 * @template {{ name: string, enabled: boolean, visibleFor: string[] }} Item
 * @param {Portal} portal
 * @param {object} options
 * @param {Texts} options.texts
 * @param {string} options.path of the list at the server
 * @param {import('../parts/icon.js').IconName} options.icon
 * @param {(item: Item) => string} options.id
 * @param {(item: Item) => HTMLElement} options.mark what stands before a row
 * @param {(item: Item) => import('../dom.js').Child[]} options.facts
 * @param {(item: Item | null) => { fields: Record<string, Field>, more?: HTMLElement[], value: () => object }} options.form null: for a new one
 * @returns {import('../portal.js').Page}
 */
export function managedPage(portal, { texts, path, icon: sign, id, mark, facts, form }) {
  const { words } = portal;
  const panel = h('section', { class: 'card', 'aria-label': texts.title }, bones(4, words.loading));
  const rows = h('ul', { class: 'rows' });

  async function load() {
    try {
      show(/** @type {Item[]} */ ((await portal.call(path)).data));
    } catch {
      panel.replaceChildren(empty('away', words.failed, button(words.retry, { click: () => void load() })));
    }
  }

  /** @param {Item[]} items */
  function show(items) {
    rows.replaceChildren(...items.map(row));
    panel.replaceChildren(items.length > 0 ? rows : empty(sign, texts.none));
  }

  /** @param {Item} item */
  function row(item) {
    const visible = item.visibleFor.length > 0 ? item.visibleFor.join(', ') : words.manage.everybody;
    return h('li', { class: `row managed${item.enabled ? '' : ' off'}` }, mark(item),
      h('div', { class: 'row-body' },
        h('button', { type: 'button', class: 'row-title row-link', click: () => edit(item) }, item.name),
        h('p', { class: 'row-meta' }, badge(item.enabled ? words.manage.enabled : words.manage.disabled, item.enabled ? 'good' : ''), ...facts(item),
          h('span', { class: 'seen-by' }, icon('people'), visible))),
      h('div', { class: 'row-actions' },
        button(item.enabled ? words.manage.disable : words.manage.enable, { kind: 'small', click: () => void able(item) })));
  }

  /** @param {Item} item */
  async function able(item) {
    await portal.act(() => portal.call(`${path}/${encodeURIComponent(id(item))}/${item.enabled ? 'disable' : 'enable'}`, { method: 'POST' }));
    await load();
  }

  /** @param {Item | null} item */
  function edit(item) {
    const { fields, more, value } = form(item);
    formDialog(portal, {
      title: item ? texts.edit : texts.add, fields, more, yes: item ? words.manage.save : words.manage.create,
      save: async () => {
        if (item) await portal.call(`${path}/${encodeURIComponent(id(item))}`, { method: 'PUT', body: value() });
        else await portal.hub.call('POST', path, { body: value(), retries: 0 });
        await load();
      },
    });
  }

  void load();
  return {
    title: texts.title,
    element: h('div', null, pageHead(texts.title, { lead: texts.lead, actions: [button(texts.add, { kind: 'primary', icon: 'plus', id: 'add', click: () => edit(null) })] }), panel),
  };
}
