// An article. Its body is the only HTML that comes from the server, which sanitises it.
import { HubError } from '../api.js';
import { h } from '../dom.js';
import { fileLink } from '../links.js';
import { badge, bones, button, empty } from '../parts/basics.js';
import { full } from '../times.js';

/** @typedef {import('../types.js').Article} Article */
/** @typedef {import('../portal.js').Portal} Portal */

/**
 * @param {Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function articlePage(portal, { params }) {
  const { words } = portal;
  const body = h('div', null, bones(4, words.loading));
  const element = h('div', { class: 'article' }, button(words.article.back, { kind: 'quiet small', icon: 'left', click: () => history.back() }), body);
  const page = { title: words.news, element };

  async function load() {
    try {
      const { data } = await portal.call(`/cms/articles/${encodeURIComponent(params.id ?? '')}`);
      body.replaceChildren(h('article', { class: 'card article-sheet' }, ...article(portal, data)));
      document.title = `${data.title} · ${words.brand}`;
      page.title = data.title;
      body.querySelector('h1')?.focus({ preventScroll: true });
    } catch (failure) {
      const gone = failure instanceof HubError && (failure.status === 404 || failure.status === 400);
      body.replaceChildren(h('div', { class: 'card' }, gone
        ? empty('search', { title: words.article.missing, text: words.article.missingText })
        : empty('away', words.failed, button(words.retry, { click: () => void load() }))));
    }
  }

  void load();
  return page;
}

/**
 * @param {Portal} portal
 * @param {Article} data
 */
function article({ words, tongue }, data) {
  const cover = fileLink(data.coverImageUrl);
  return [
    h('h1', { tabindex: '-1' }, data.title),
    h('p', { class: 'meta' },
      data.pinned && badge(words.article.pinned, 'info', 'pin'),
      h('time', { datetime: data.occurredAt }, full(new Date(data.occurredAt), tongue))),
    data.summary && h('p', { class: 'summary' }, data.summary),
    cover && h('img', { class: 'cover', src: cover, alt: '' }),
    prose(data.contentHtml),
  ].filter((part) => part instanceof Node);
}

/**
 * The body. A document that is only parsed runs no script, nor do its scripts run where they are moved to, and the
 * policy of the page forbids handlers and styles in attributes.
 *
 * @param {string} html
 */
export function prose(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const link of parsed.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  }
  return h('div', { class: 'prose' }, ...parsed.body.childNodes);
}
