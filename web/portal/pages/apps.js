// All applications of the person.
import { h } from '../dom.js';
import { appTile } from '../parts/apptile.js';
import { bones, button, empty, pageHead } from '../parts/basics.js';
import { searchField } from '../parts/field.js';

/** @typedef {import('../types.js').App} App */

/** From so many on there is a field to search with. */
const manyApps = 12;

/**
 * @param {import('../portal.js').Portal} portal
 * @returns {import('../portal.js').Page}
 */
export function appsPage(portal) {
  const { words } = portal;
  const panel = h('div', null, bones(3, words.loading));
  const tools = h('div', { class: 'tools', hidden: true });
  /** @type {App[]} */
  let apps = [];

  async function load() {
    try {
      apps = (await portal.call('/portal/apps')).data;
      tools.hidden = apps.length < manyApps;
      show('');
    } catch {
      panel.replaceChildren(empty('away', words.failed, button(words.retry, { click: () => void load() })));
    }
  }

  /** @param {string} text */
  function show(text) {
    const found = apps.filter(({ name }) => name.toLocaleLowerCase().includes(text.toLocaleLowerCase()));
    panel.replaceChildren(found.length > 0 ? h('ul', { class: 'tiles roomy' }, ...found.map((app) => appTile(portal, app))) : empty('apps', words.noApps));
  }

  tools.append(searchField(words.appFilter, show));
  void load();
  return { title: words.apps, element: h('div', null, pageHead(words.apps), h('section', { class: 'card', 'aria-label': words.apps }, tools, panel)) };
}
