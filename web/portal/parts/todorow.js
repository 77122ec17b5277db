// A todo in a list.
import { h } from '../dom.js';
import { todoLink } from '../links.js';
import { due, timeAgo } from '../times.js';
import { avatar, badge } from './basics.js';
import { icon } from './icon.js';

/** @typedef {import('../types.js').Todo} Todo */
/** @typedef {import('../types.js').App} App */
/** @typedef {import('../portal.js').Portal} Portal */

/**
 * @param {Portal} portal
 * @param {Todo} todo
 * @param {App[]} apps those by which it may be reached
 */
export function todoRow(portal, todo, apps) {
  const { words } = portal;
  const href = todoLink(todo, apps);
  const title = href
    ? h('a', { class: 'row-title row-link', href, target: '_blank', rel: 'noopener noreferrer' }, todo.title, h('span', { class: 'unseen' }, ` (${words.newTab})`))
    : h('span', { class: 'row-title' }, todo.title);
  return h('li', { class: 'row todo' },
    avatar(todo.sourceSystem),
    h('div', { class: 'row-body' },
      title,
      todo.summary && h('p', { class: 'row-text' }, todo.summary),
      h('p', { class: 'row-meta' },
        todo.status === 'OPEN' ? dueBadge(portal, todo.dueAt) : resultBadge(todo),
        todo.category && h('span', null, todo.category),
        todo.initiatorUsername && h('span', null, words.todo.by(todo.initiatorUsername)),
        todo.status !== 'OPEN' && todo.clearedBy && h('span', null, words.todo.finished(todo.clearedBy)),
        todo.status !== 'OPEN' && timeAgo(todo.clearedAt, portal.tongue))),
    h('div', { class: 'row-end' }, href && icon('out')));
}

/**
 * @param {Portal} portal
 * @param {string | null} dueAt
 */
function dueBadge({ words, tongue }, dueAt) {
  if (!dueAt) return null;
  const at = new Date(dueAt);
  const when = due(at, tongue);
  if (at.getTime() < Date.now()) return badge(words.todo.overdue(when), 'bad', 'alert');
  const soon = at.getTime() - Date.now() < 48 * 3600_000;
  return badge(words.todo.due(when), soon ? 'warn' : '', 'clock');
}

/** @param {Todo} todo */
function resultBadge(todo) {
  return todo.result ? badge(todo.result, 'good', 'check') : null;
}
