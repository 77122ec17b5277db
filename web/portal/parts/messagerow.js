// A message in a list. It is opened in its place, which marks it as read.
import { h } from '../dom.js';
import { safeLink } from '../links.js';
import { timeAgo } from '../times.js';
import { avatar, iconButton, linkButton } from './basics.js';

/** @typedef {import('../types.js').Message} Message */
/** @typedef {import('../portal.js').Portal} Portal */

/**
 * Rows of messages; which of them are open is kept here, so that a list may be drawn again.
 *
 * @param {Portal} portal
 * @param {() => void} redraw draws the list
 */
export function messageRows(portal, redraw) {
  const { words } = portal;
  /** @type {Set<string>} */
  const open = new Set();
  /** What this page has marked, before the server's lists say so. @type {Set<string>} */
  const marked = new Set();

  const unread = (/** @type {Message} */ message) => message.status === 'UNREAD' && !marked.has(message.id);

  /** @param {Message} message */
  async function mark(message) {
    if (!unread(message)) return;
    marked.add(message.id);
    redraw();
    const done = await portal.act(async () => {
      await portal.call(`/portal/messages/${encodeURIComponent(message.sourceMessageId)}/read`, { method: 'POST' });
      return true;
    });
    if (!done) marked.delete(message.id);
    portal.changed('read');
    redraw();
  }

  /** @param {Message} message */
  function toggle(message) {
    if (!open.delete(message.id)) open.add(message.id);
    redraw();
    void mark(message);
  }

  /** @param {Message} message */
  function row(message) {
    const isOpen = open.has(message.id);
    const isUnread = unread(message);
    const body = `message-${message.id}`;
    return h('li', { class: `row message${isUnread ? ' unread' : ''}` },
      h('span', { class: 'dot', 'aria-hidden': 'true' }),
      avatar(message.sourceAppId),
      h('div', { class: 'row-body' },
        h('div', { class: 'message-head row-body' },
          h('button', { type: 'button', class: 'row-title row-link', 'aria-expanded': String(isOpen), 'aria-controls': body, click: () => toggle(message) },
            isUnread && h('span', { class: 'unseen' }, `${words.message.unreadMark}: `), message.title),
          !isOpen && message.content && h('p', { class: 'row-text' }, message.content),
          h('p', { class: 'row-meta' }, timeAgo(message.occurredAt, portal.tongue), h('span', null, message.sourceAppId), message.category && h('span', null, message.category))),
        h('div', { id: body, hidden: !isOpen }, h('p', { class: 'message-body' }, message.content), actions(portal, message))),
      h('div', { class: 'row-end' }, isUnread && iconButton(words.message.markRead, 'check', () => void mark(message))));
  }

  return { row, state: (/** @type {Message} */ message) => [open.has(message.id), unread(message), portal.language] };
}

/**
 * @param {Portal} portal
 * @param {Message} message
 */
function actions({ words }, message) {
  const links = message.actions.flatMap(({ label, url }, i) => {
    const href = safeLink(url);
    return href ? [linkButton(label, href, { kind: i === 0 ? 'small primary' : 'small', away: words.newTab })] : [];
  });
  return links.length > 0 && h('div', { class: 'message-actions' }, ...links);
}
