// Who the person is, as Hub knows her, and what she chose for this browser.
import { h } from '../dom.js';
import { avatar, badge, card, pageHead } from '../parts/basics.js';
import { chooseTheme, theme } from '../preferences.js';
import { full } from '../times.js';

/** @typedef {import('../preferences.js').Theme} Theme */

/**
 * @param {import('../portal.js').Portal} portal
 * @returns {import('../portal.js').Page}
 */
export function accountPage(portal) {
  const { words, me, tongue } = portal;
  const badges = (/** @type {string[] | null} */ names) =>
    (names?.length ? h('span', { class: 'choices' }, ...names.map((name) => badge(name))) : words.me.none);
  /** @type {[string, import('../dom.js').Child][]} */
  const facts = [
    [words.me.username, me.username],
    [words.me.email, me.email ?? words.me.none],
    [words.me.dept, me.dept ?? words.me.none],
    [words.me.roles, badges(me.roles)],
    [words.me.permissions, badges(me.permissions)],
    [words.me.session, me.sessionExpiresAt && full(new Date(me.sessionExpiresAt), tongue)],
  ];
  return {
    title: words.account,
    element: h('div', null, pageHead(words.account),
      h('div', { class: 'narrow' },
        card(words.me.self, [], h('div', { class: 'person' }, avatar(portal.name, { kind: 'round large' }), h('div', null, h('h3', null, portal.name), h('p', { class: 'hint' }, me.email ?? me.username))),
          h('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => (value ? [h('dt', null, name), h('dd', null, value)] : [])))),
        card(words.me.settings, [], h('fieldset', { class: 'themes' }, h('legend', null, words.theme), ...themeChoices(portal))))),
  };
}

/** @param {import('../portal.js').Portal} portal */
function themeChoices({ words }) {
  return /** @type {Theme[]} */ (['auto', 'light', 'dark']).map((name) => h('label', { class: 'choice' },
    h('input', { type: 'radio', name: 'theme', value: name, checked: theme() === name, change: () => chooseTheme(name) }), words.themes[name]));
}
