// All articles, by channel and status.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { badge, button, empty, iconButton, linkButton, pageHead } from '../parts/basics.js';
import { pagedList } from '../parts/paged.js';
import { pageLink } from '../router.js';
import { filterBar } from './filters.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('./types.js').ManagedArticle} ManagedArticle */
/** @typedef {import('./types.js').Channel} Channel */

/**
 * @param {Portal} portal
 * @param {{ status: import('./types.js').ArticleStatus }} article
 */
export function statusBadge({ words }, { status }) {
  const kinds = /** @type {const} */ ({ draft: '', published: 'good', offline: 'warn' });
  return badge(words.manage.articles.status[status], kinds[status]);
}

/**
 * @param {Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function articlesPage(portal, { query }) {
  const { words } = portal;
  const our = words.manage.articles;
  const panel = h('section', { class: 'card', 'aria-label': our.title });
  const write = linkButton(our.write, pageLink('/manage/articles/new'), { kind: 'primary', icon: 'plus' });
  const page = { title: our.title, element: h('div', null, pageHead(our.title, { lead: our.lead, actions: [write] }), panel), close: () => {} };
  let closed = false;
  void portal.act(async () => {
    const channels = /** @type {Channel[]} */ ((await portal.call('/portal/admin/cms/channels')).data);
    if (closed) return;
    const list = articleList(portal, channels, query);
    panel.replaceChildren(...list.parts);
    page.close = list.close;
  });
  return { ...page, close: () => { closed = true; page.close(); } };
}

/**
 * @param {Portal} portal
 * @param {Channel[]} channels
 * @param {URLSearchParams} query
 */
function articleList(portal, channels, query) {
  const { words } = portal;
  const our = words.manage.articles;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const filters = filterBar(portal, '/manage/articles', query, [
    { name: 'channelId', label: our.channel, choices: [['', our.anyChannel], ...channels.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]))] },
    { name: 'status', label: our.statusLabel, choices: [['', our.anyStatus], ...Object.entries(our.status)] },
  ], () => list.reset());
  const list = /** @type {ReturnType<typeof pagedList<ManagedArticle>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/portal/admin/cms/articles', { ...filters.values(), cursor, size })),
    key: (/** @type {ManagedArticle} */ { id }) => id,
    row,
    none: () => empty('news', our.none),
  }));

  /**
   * @param {ManagedArticle} article
   * @param {'publish' | 'unpublish' | 'pin' | 'unpin'} name
   */
  async function change(article, name) {
    const done = await portal.act(() => portal.call(`/portal/admin/cms/articles/${encodeURIComponent(article.id)}/${name}`, { method: 'POST' }));
    if (done) portal.note(our.done[name]);
    void list.refresh();
  }

  /** @param {ManagedArticle} article */
  function row(article) {
    const published = article.status === 'published';
    return h('li', { class: 'row managed' },
      h('div', { class: 'row-body' },
        h('a', { class: 'row-title row-link', href: pageLink(`/manage/articles/${encodeURIComponent(article.id)}`) }, article.title),
        article.summary && h('p', { class: 'row-text' }, article.summary),
        h('p', { class: 'row-meta' }, statusBadge(portal, article), article.pinned && badge(words.article.pinned, 'info', 'pin'),
          h('span', null, names.get(article.channelId) ?? ''), h('span', null, our.savedBy(article.modifier)))),
      h('div', { class: 'row-actions' },
        button(published ? our.unpublish : our.publish, { kind: 'small', click: () => void change(article, published ? 'unpublish' : 'publish') }),
        iconButton(article.pinned ? our.unpin : our.pin, article.pinned ? 'unpin' : 'pin', () => void change(article, article.pinned ? 'unpin' : 'pin'))));
  }

  return { parts: [filters.element, list.element], close: list.close };
}
