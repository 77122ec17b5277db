// An article as its editors see it: what it says, and whether people read it.
import { h } from '../dom.js';
import { badge, bones, button, empty, linkButton, pageHead } from '../parts/basics.js';
import { confirm, openDialog } from '../parts/dialog.js';
import { pageLink } from '../router.js';
import { statusBadge } from './articles.js';
import { editor } from './editor.js';
import { areaField, choiceField, faults, statusOf, textField } from './form.js';
import { watch } from './unsaved.js';
import { pictureField } from './upload.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('./types.js').ManagedArticle} ManagedArticle */
/** @typedef {import('./types.js').Channel} Channel */
/** @typedef {{ channelId: string, title: string, summary: string, coverImageUrl: string, contentHtml: string, occurredAt: string | null }} Text */

const path = '/portal/admin/cms/articles';

/** What was written and not saved when the page was drawn again in another language. @type {{ id: string, text: Text, article: ManagedArticle | null } | null} */
let left = null;

/**
 * @param {Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function articlePage(portal, { params, query }) {
  const { words } = portal;
  const id = params.id ?? '';
  const body = h('div', null, bones(6, words.loading));
  const element = h('div', { class: 'write' }, body);
  /** @type {ReturnType<typeof sheet> | null} */
  let open = null;
  let closed = false;
  const watched = watch(portal, () => open?.unsaved() ?? false, () => open?.discard());
  const page = { title: words.manage.articles.write, element, leaving: watched.leaving, close };

  async function load() {
    try {
      const [channels, article] = await Promise.all([
        portal.call('/portal/admin/cms/channels').then(({ data }) => /** @type {Channel[]} */ (data)),
        id === 'new' ? null : portal.call(`${path}/${encodeURIComponent(id)}`).then(({ data }) => /** @type {ManagedArticle} */ (data)),
      ]);
      if (closed) return;
      if (channels.length === 0) {
        body.replaceChildren(pageHead(words.manage.articles.write), h('div', { class: 'card' },
          empty('notices', words.manage.articles.noChannels, linkButton(words.manage.channels.title, pageLink('/manage/channels'), { kind: 'primary' }))));
        return;
      }
      const kept = left?.id === id ? left : null;
      left = null;
      open = sheet(portal, channels, kept ? kept.article : article, kept?.text ?? null, query.get('channelId'));
      body.replaceChildren(open.element);
      body.querySelector('h1')?.focus({ preventScroll: true });
    } catch (failure) {
      const missing = statusOf(failure) === 404 || statusOf(failure) === 400;
      body.replaceChildren(h('div', { class: 'card' }, missing
        ? empty('search', { title: words.article.missing, text: words.manage.articles.missingText })
        : empty('away', words.failed, button(words.retry, { click: () => void load() }))));
    }
  }

  function close() {
    closed = true;
    left = open?.unsaved() ? { id, text: open.text(), article: open.article() } : null;
    watched.close();
    open?.close();
  }

  void load();
  return page;
}

/**
 * @param {Portal} portal
 * @param {Channel[]} channels
 * @param {ManagedArticle | null} stored null: a new one
 * @param {Text | null} written what was written before, and not saved
 * @param {string | null} channelId of a new one
 */
function sheet(portal, channels, stored, written, channelId) {
  const { words } = portal;
  const our = words.manage.articles;
  let article = stored;
  const start = written ?? article ?? { channelId: channelId ?? channels[0]?.id ?? '', title: '', summary: '', coverImageUrl: '', contentHtml: '', occurredAt: null };
  const fields = {
    channelId: choiceField(our.channel, start.channelId, channels.map(({ id, name, enabled }) => [id, enabled ? name : `${name} (${words.manage.disabled})`])),
    title: textField(our.name, start.title, { required: true }),
    summary: areaField(our.summary, start.summary, { rows: 2, hint: our.summaryHint }),
    occurredAt: textField(our.occurredAt, localTime(start.occurredAt), { type: 'datetime-local', hint: our.occurredAtHint }),
  };
  const changed = () => void state();
  const text = editor(portal, start.contentHtml, changed);
  const cover = pictureField(portal, our.cover, start.coverImageUrl, { changed, hint: our.coverHint });
  const wrong = faults(portal, fields);
  let saved = article ? print(textOf(article, text)) : print(now());
  let saving = false;

  const facts = h('p', { class: 'row-meta', role: 'status' });
  const save = button(our.save, { kind: 'primary', type: 'submit', id: 'save' });
  const publish = button(our.publish, { icon: 'globe', id: 'publish', click: () => void change('publish') });
  const unpublish = button(our.unpublish, { icon: 'away', id: 'unpublish', click: () => void change('unpublish') });
  const pin = button(our.pin, { icon: 'pin', id: 'pin', click: () => void change(article?.pinned ? 'unpin' : 'pin') });
  const read = linkButton(our.read, '#', { icon: 'read', kind: 'quiet' });
  const heading = h('h1', { tabindex: '-1' });

  /** @returns {Text} */
  function now() {
    const at = fields.occurredAt.control.value;
    return {
      channelId: fields.channelId.control.value, title: fields.title.control.value.trim(), summary: fields.summary.control.value.trim(),
      coverImageUrl: cover.value, contentHtml: text.value,
      // A time that nobody touched keeps what the field does not show.
      occurredAt: at === localTime(start.occurredAt) ? start.occurredAt : at ? new Date(at).toISOString() : null,
    };
  }

  const unsaved = () => print(now()) !== saved;

  function state() {
    const dirty = unsaved();
    heading.textContent = article ? article.title : our.write;
    facts.replaceChildren(...[
      article ? statusBadge(portal, article) : badge(our.fresh, 'info'),
      article?.pinned && badge(words.article.pinned, 'info', 'pin'),
      h('span', null, dirty ? our.notSaved : article ? our.savedBy(article.modifier) : ''),
    ].filter((part) => part instanceof Node));
    save.disabled = saving || !dirty;
    publish.hidden = article?.status === 'published';
    unpublish.hidden = article?.status !== 'published';
    read.hidden = article?.status !== 'published';
    pin.hidden = !article;
    for (const one of [publish, unpublish, pin]) one.disabled = saving;
    pin.lastChild?.replaceWith(h('span', null, article?.pinned ? our.unpin : our.pin));
    if (article) read.href = pageLink(`/articles/${encodeURIComponent(article.id)}`);
  }

  /** @param {ManagedArticle} answer what the server has now */
  function stay(answer) {
    const before = article;
    article = answer;
    if (!before) history.replaceState(null, '', pageLink(`/manage/articles/${encodeURIComponent(answer.id)}`));
  }

  /**
   * Saves what is written, and tells whether it is.
   *
   * @param {number} [version] the one that is replaced; else the one that was read
   * @returns {Promise<boolean>}
   */
  async function store(version = article?.version) {
    if (!unsaved() && article) return true;
    const sent = now();
    // What another editor keeps as JSON does not fit a text that was changed here.
    const contentJson = article && sent.contentHtml === textOf(article, text).contentHtml ? article.contentJson : null;
    wrong.clear();
    try {
      const { data } = article
        ? await portal.hub.call('PUT', `${path}/${encodeURIComponent(article.id)}`, { body: { ...sent, contentJson, version } })
        : await portal.hub.call('POST', path, { body: sent, retries: 0 }); // twice would be two articles
      stay(/** @type {ManagedArticle} */ (data));
      saved = print(sent);
      return true;
    } catch (failure) {
      if (statusOf(failure) === 409 && article) conflict();
      else wrong.show(failure);
      return false;
    }
  }

  /** Somebody else has changed the article: one of the two texts must give way. */
  function conflict() {
    const theirs = async () => {
      dialog.close();
      await busy(async () => {
        stay((await portal.call(`${path}/${encodeURIComponent(article?.id ?? '')}`)).data);
        if (article) put(article);
      });
    };
    const mine = async () => {
      dialog.close();
      await busy(async () => {
        const { data } = await portal.call(`${path}/${encodeURIComponent(article?.id ?? '')}`);
        if (await store(data.version)) portal.note(our.saved);
      });
    };
    const dialog = openDialog(words, our.conflict.title, [
      h('p', null, our.conflict.text),
      h('div', { class: 'form-actions' },
        button(our.conflict.goOn, { click: () => dialog.close() }),
        button(our.conflict.theirs, { id: 'take-theirs', click: () => void theirs() }),
        button(our.conflict.mine, { kind: 'danger', id: 'keep-mine', click: () => void mine() })),
    ]);
  }

  /** @param {ManagedArticle} shown */
  function put(shown) {
    fields.channelId.control.value = shown.channelId;
    fields.title.control.value = shown.title;
    fields.summary.control.value = shown.summary;
    start.occurredAt = shown.occurredAt;
    fields.occurredAt.control.value = localTime(shown.occurredAt);
    cover.value = shown.coverImageUrl;
    text.value = shown.contentHtml;
    saved = print(now());
  }

  /** @param {() => Promise<unknown>} action */
  async function busy(action) {
    if (saving) return;
    saving = true;
    state();
    await portal.act(action);
    saving = false;
    state();
  }

  /** @param {'publish' | 'unpublish' | 'pin' | 'unpin'} name */
  const change = (name) => busy(async () => {
    if (name === 'unpublish' && !await confirm(words, { ...our.sureUnpublish, danger: true })) return;
    if (name === 'publish' && !await store()) return;
    if (!article) return;
    stay((await portal.call(`${path}/${encodeURIComponent(article.id)}/${name}`, { method: 'POST' })).data);
    portal.note(our.done[name]);
  });

  const form = h('form', {
    class: 'form', novalidate: true, input: changed, change: changed,
    submit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void busy(async () => {
        if (await store()) portal.note(our.saved);
      });
    },
    keydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      form.requestSubmit();
    },
  },
  h('div', { class: 'write-head' },
    linkButton(our.back, pageLink('/manage/articles'), { kind: 'quiet small', icon: 'left' }),
    h('div', { class: 'page-head' }, h('div', null, heading, facts), h('div', { class: 'actions' }, read, pin, unpublish, publish, save))),
  wrong.element,
  h('div', { class: 'write-columns' },
    h('div', { class: 'card sheet' }, fields.title.element, fields.summary.element,
      h('div', { class: 'field' }, h('span', { class: 'label', id: 'editor-label' }, our.text), text.element)),
    h('div', { class: 'card sheet' }, fields.channelId.element, cover.element, fields.occurredAt.element)));
  state();
  return {
    element: form,
    unsaved,
    text: now,
    article: () => article,
    discard: () => { saved = print(now()); },
    close: text.close,
  };
}

/**
 * What of an article is in the form, as the form writes it.
 *
 * @param {ManagedArticle} article
 * @param {{ normal: (html: string) => string }} text
 * @returns {Text}
 */
function textOf({ channelId, title, summary, coverImageUrl, contentHtml, occurredAt }, text) {
  return { channelId, title, summary, coverImageUrl, contentHtml: text.normal(contentHtml), occurredAt };
}

/** @param {Text} text */
const print = ({ channelId, title, summary, coverImageUrl, contentHtml, occurredAt }) => JSON.stringify([channelId, title, summary, coverImageUrl, contentHtml, occurredAt]);

/**
 * An instant as a field for times has it, which is that of this place; '' for none.
 *
 * @param {string | null} instant
 */
function localTime(instant) {
  if (!instant) return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
