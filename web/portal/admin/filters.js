// Filters over a list, which are kept in the address of the page.
import { h } from '../dom.js';
import { button } from '../parts/basics.js';
import { field } from '../parts/field.js';
import { pageLink } from '../router.js';

/** @typedef {{ name: string, label: string, choices?: [value: string, text: string][] }} Filter one with choices has its first without the filter */

/**
 * @param {import('../portal.js').Portal} portal
 * @param {string} path of the page
 * @param {URLSearchParams} query
 * @param {Filter[]} filters
 * @param {() => void} changed
 */
export function filterBar({ words }, path, query, filters, changed) {
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  const controls = new Map();
  let timer = 0;
  let asked = JSON.stringify([...query]);

  /** What is chosen, without what is empty. */
  const values = () => Object.fromEntries([...controls].flatMap(([name, { value }]) => (value.trim() ? [[name, value.trim()]] : [])));

  function apply() {
    clearTimeout(timer);
    const chosen = values();
    const now = JSON.stringify(Object.entries(chosen));
    if (now === asked) return;
    asked = now;
    history.replaceState(null, '', pageLink(path, chosen));
    changed();
  }

  const fields = filters.map(({ name, label, choices }) => {
    const control = choices
      ? h('select', { change: apply }, ...choices.map(([value, text]) => h('option', { value }, text)))
      : h('input', {
        type: 'search', autocomplete: 'off', change: apply,
        input: () => {
          clearTimeout(timer);
          timer = setTimeout(apply, 350);
        },
      });
    const given = query.get(name) ?? '';
    if (!choices || choices.some(([value]) => value === given)) control.value = given;
    controls.set(name, control);
    return field(label, control).element;
  });
  asked = JSON.stringify(Object.entries(values()));
  return {
    element: h('form', { class: 'filters', role: 'search', submit: (/** @type {Event} */ event) => { event.preventDefault(); apply(); } }, ...fields,
      button(words.manage.refresh, { type: 'submit', icon: 'again', click: changed })),
    values,
  };
}
