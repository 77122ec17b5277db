// The inboxes of everybody.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { avatar, badge, button, empty, pageHead } from '../parts/basics.js';
import { pagedList } from '../parts/paged.js';
import { timeAgo } from '../times.js';
import { filterBar } from './filters.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('./types.js').ManagedMessage} ManagedMessage */

/**
 * @param {Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function messagesPage(portal, { query }) {
  const { words, tongue } = portal;
  const our = words.manage.messages;
  const filters = filterBar(portal, '/manage/messages', query, [
    { name: 'userId', label: words.manage.user },
    { name: 'deptId', label: words.manage.dept },
    { name: 'roleId', label: words.manage.role },
    { name: 'sourceAppId', label: our.source },
    { name: 'status', label: our.status, choices: [['', our.anyStatus], ['UNREAD', our.statuses.UNREAD], ['READ', our.statuses.READ]] },
  ], () => list.reset());
  const list = /** @type {ReturnType<typeof pagedList<ManagedMessage>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/portal/admin/messages', { ...filters.values(), cursor, size })),
    key: (/** @type {ManagedMessage} */ { id }) => id,
    row,
    none: () => empty('inbox', our.none),
  }));

  /** @param {ManagedMessage} message */
  async function read({ sourceMessageId, username }) {
    const path = withQuery(`/portal/admin/messages/${encodeURIComponent(sourceMessageId)}/read`, { username });
    if (await portal.act(() => portal.call(path, { method: 'POST' }))) portal.note(our.marked);
    void list.refresh();
  }

  /** @param {ManagedMessage} message */
  function row(message) {
    const unread = message.status === 'UNREAD';
    return h('li', { class: 'row managed' }, avatar(message.username, { kind: 'round' }),
      h('div', { class: 'row-body' },
        h('span', { class: 'row-title' }, message.title),
        message.content && h('p', { class: 'row-text' }, message.content),
        h('p', { class: 'row-meta' }, badge(our.statuses[message.status], unread ? 'info' : ''), h('strong', null, message.username),
          h('span', null, our.from(message.sourceAppId)), message.category && h('span', null, message.category), timeAgo(message.occurredAt, tongue))),
      unread && h('div', { class: 'row-actions' }, button(words.message.markRead, { kind: 'small', icon: 'check', click: () => void read(message) })));
  }

  return {
    title: our.title,
    element: h('div', null, pageHead(our.title, { lead: our.lead }), h('section', { class: 'card', 'aria-label': our.title }, filters.element, list.element)),
    changed: () => void list.refresh(),
    close: list.close,
  };
}
