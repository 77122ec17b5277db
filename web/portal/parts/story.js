// Articles in lists: news with their pictures, notices as lines.
import { h } from '../dom.js';
import { fileLink } from '../links.js';
import { pageLink } from '../router.js';
import { timeAgo } from '../times.js';
import { badge, tone } from './basics.js';
import { icon } from './icon.js';

/** @typedef {import('../types.js').FeedItem} FeedItem */
/** @typedef {import('../portal.js').Portal} Portal */

/** @param {FeedItem} article */
const link = (article) => pageLink(`/articles/${encodeURIComponent(article.id)}`);

/**
 * @param {Portal} portal
 * @param {FeedItem} article
 */
export function story({ words, tongue }, article) {
  const src = fileLink(article.coverImageUrl);
  return h('li', { class: 'card story' },
    h('div', { class: 'cover', 'data-tone': tone(article.title) }, src ? h('img', { src, alt: '', loading: 'lazy' }) : icon('news')),
    h('div', { class: 'story-body' },
      h('p', { class: 'row-meta' }, article.pinned && badge(words.article.pinned, 'info', 'pin'), timeAgo(article.occurredAt, tongue)),
      h('h3', null, h('a', { href: link(article) }, article.title)),
      article.summary && h('p', { class: 'summary' }, article.summary)));
}

/**
 * @param {Portal} portal
 * @param {FeedItem} article
 */
export function noticeRow({ words, tongue }, article) {
  return h('li', { class: 'row' },
    h('span', { class: 'avatar', 'data-tone': article.pinned ? '2' : '7', 'aria-hidden': 'true' }, icon(article.pinned ? 'pin' : 'notices')),
    h('div', { class: 'row-body' },
      h('a', { class: 'row-title row-link', href: link(article) }, article.title),
      article.summary && h('p', { class: 'row-text' }, article.summary),
      h('p', { class: 'row-meta' }, article.pinned && badge(words.article.pinned, 'info', 'pin'), timeAgo(article.occurredAt, tongue))));
}
