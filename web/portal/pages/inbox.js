// The messages of the person.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { button, empty, pageHead } from '../parts/basics.js';
import { messageRows } from '../parts/messagerow.js';
import { pagedList } from '../parts/paged.js';
import { tabs } from '../parts/tabs.js';
import { pageLink } from '../router.js';

/** @typedef {import('../types.js').Message} Message */
/** @typedef {'all' | 'unread'} Shown */

/**
 * @param {import('../portal.js').Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function inboxPage(portal, { query }) {
  const { words } = portal;
  /** @type {Shown} */
  let shown = query.get('show') === 'unread' ? 'unread' : 'all';
  /** Below it is what the person could see. */
  let watermark = '';
  const rows = messageRows(portal, () => messages.draw());
  const messages = /** @type {ReturnType<typeof pagedList<Message>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/portal/messages', { status: shown === 'unread' ? 'UNREAD' : null, cursor, size })),
    key: (/** @type {Message} */ { id }) => id,
    row: rows.row,
    state: rows.state,
    none: () => empty('inbox', words.noMessages[shown]),
    shown: (_items, first) => {
      watermark = first.page?.watermark ?? '';
    },
  }));
  const all = button(words.message.markAllRead, { icon: 'checks', id: 'read-all', disabled: true, click: () => void readAll() });
  const panel = h('div', null, messages.element);
  const choice = tabs({
    label: words.message.filter,
    tabs: [{ name: 'all', text: words.message.all }, { name: 'unread', text: words.message.unread }],
    chosen: shown,
    panel,
    choose(name) {
      shown = name;
      history.replaceState(null, '', pageLink('/inbox', { show: name === 'unread' ? name : null }));
      messages.reset();
    },
  });

  async function readAll() {
    all.disabled = true;
    const answer = await portal.act(() => portal.call('/portal/messages/read-all', { method: 'POST', body: { upTo: watermark } }));
    if (!answer) {
      all.disabled = false;
      return;
    }
    portal.note(words.message.marked(answer.data.switched));
    portal.changed('read');
  }

  const counts = (/** @type {import('../types.js').Counts} */ { unread }) => {
    choice.count({ unread });
    all.disabled = unread === 0;
  };
  if (portal.counts) counts(portal.counts);
  return {
    title: words.inbox,
    element: h('div', null, pageHead(words.inbox, { actions: [all] }), h('section', { class: 'card', 'aria-label': words.inbox }, choice.element, panel)),
    counts,
    changed: () => void messages.refresh(),
    close: messages.close,
  };
}
