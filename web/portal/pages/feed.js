// News or notices, the pinned ones first.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { empty, pageHead } from '../parts/basics.js';
import { pagedList } from '../parts/paged.js';
import { noticeRow, story } from '../parts/story.js';

/** @typedef {import('../types.js').FeedItem} FeedItem */

/**
 * @param {import('../portal.js').Portal} portal
 * @param {'news' | 'notices'} kind
 * @returns {import('../portal.js').Page}
 */
export function feedPage(portal, kind) {
  const { words } = portal;
  const list = /** @type {ReturnType<typeof pagedList<FeedItem>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/cms/feeds', { type: kind === 'news' ? 'news' : 'notice', cursor, size })),
    key: (/** @type {FeedItem} */ { id }) => id,
    row: (/** @type {FeedItem} */ article) => (kind === 'news' ? story(portal, article) : noticeRow(portal, article)),
    none: () => empty(kind, words.noArticles[kind]),
  }));
  return {
    title: words[kind],
    element: h('div', null, pageHead(words[kind]), h('section', { class: `${kind === 'news' ? 'gallery' : 'card'}`, 'aria-label': words[kind] }, list.element)),
    changed: (changes) => changes.has('all') && void list.refresh(),
    close: list.close,
  };
}
