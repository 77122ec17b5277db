// An application to jump into.
import { h } from '../dom.js';
import { jumpLink } from '../links.js';
import { avatar } from './basics.js';

/** @typedef {import('../types.js').App} App */
/** @typedef {import('../portal.js').Portal} Portal */

/**
 * @param {Portal} portal
 * @param {App} app
 */
export function appTile({ words }, app) {
  return h('li', null, h('a', { class: 'tile-app', href: jumpLink(app.appId), target: '_blank', rel: 'noopener noreferrer' },
    avatar(app.name, { kind: 'large', picture: app.iconUrl }), h('span', { class: 'name' }, app.name), h('span', { class: 'unseen' }, ` (${words.newTab})`)));
}
