/**
 * @import { Answer, App, Article, CallOptions, CountName, Counts, FeedItem, FeedType, Home, HubOptions, Jump,
 *   ListOptions, LiveOptions, Me, Message, Page, Query, RequestOptions, Todo, TodoList } from './types.js'
 */
import { Caller } from './call.js';
import { HubError } from './error.js';
import { Live } from './live.js';

/** Hub, as one person sees it: her todos, messages, apps and news, and what changes among them. */
export class Hub {
  #caller;
  /** @type {Set<Live>} */
  #lives = new Set();
  /** @type {Map<string, {tag: string, counts: Counts}>} */
  #counted = new Map();

  /** @param {HubOptions} [options] */
  constructor(options = {}) {
    this.#caller = new Caller(options);
    this.todos = new Todos(this);
    this.messages = new Messages(this);
    this.apps = new Apps(this);
    this.feeds = new Feeds(this);
    this.articles = new Articles(this);
  }

  /** Where Hub is, without a slash at the end. */
  get url() {
    return this.#caller.url;
  }

  /**
   * The user who calls.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Me>}
   */
  async me(options) {
    return (await this.call('GET', '/portal/me', options)).data;
  }

  /**
   * What the user may do beyond her own things, sorted.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<string[]>}
   */
  async permissions(options) {
    return (await this.call('GET', '/portal/admin/permissions', options)).data;
  }

  /**
   * What a portal shows first. It is a success whatever fails; see unavailable.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<Home>}
   */
  async home(options) {
    return (await this.call('GET', '/portal/home', options)).data;
  }

  /**
   * The numbers of badges. While they are the same, Hub answers without them, and the last ones are given.
   *
   * @param {{lists?: CountName[]} & CallOptions} [options] lists: what to count; toHandle, toRead, overdue and unread
   * @returns {Promise<Counts>}
   */
  async counts({ lists, ...options } = {}) {
    const query = { lists: lists?.join(',') };
    const last = this.#counted.get(query.lists ?? '');
    const headers = last && { 'If-None-Match': last.tag };
    const { data, headers: answered } = await this.call('GET', '/counts', { ...options, query, headers });
    if (data === undefined && last) return { ...last.counts };
    const tag = answered.get('ETag');
    if (tag) this.#counted.set(query.lists ?? '', { tag, counts: data });
    return { ...data };
  }

  /**
   * Where a page sends a person who is not logged in.
   *
   * @param {string} [returnTo] the path below /portal/ or /apps/ to which she comes back; without its fragment
   */
  loginUrl(returnTo) {
    return `${this.url}/portal/login${returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`}`;
  }

  /**
   * Ends the session, and everything that is live with it, in every tab. The others are told that the session
   * is over; this one knows.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<{logoutUrl: string | null}>} where she may end her session at the provider as well
   */
  async logout(options) {
    const { data } = await this.call('POST', '/portal/logout', options);
    this.#caller.forget();
    for (const live of this.#lives) live.end(new HubError('she has logged out', { status: 401 }));
    return data;
  }

  /**
   * Hears of changes, by one stream for all tabs of the browser.
   *
   * @param {LiveOptions} [options]
   */
  live(options = {}) {
    const live = new Live(this, this.#caller, options);
    this.#lives.add(live);
    live.closed.addEventListener('abort', () => this.#lives.delete(live), { once: true });
    return live;
  }

  /**
   * Makes a call that this class does not know.
   *
   * @template [T=any]
   * @param {string} method
   * @param {string} path with its parts encoded
   * @param {RequestOptions} [options]
   * @returns {Promise<Answer<T>>}
   * @throws {HubError} when it fails; and the reason of a signal that ended it
   */
  call(method, path, options) {
    return this.#caller.call(method, path, options);
  }

  /**
   * One page of a list with a cursor.
   *
   * @template [T=any]
   * @param {string} path
   * @param {Query} [query] the filters of the list, and cursor and size
   * @param {CallOptions} [options]
   * @returns {Promise<Page<T>>}
   */
  async page(path, query = {}, options) {
    const { data, page } = await this.call('GET', path, { ...options, query: { cursor: '', ...query } });
    return { items: data, nextCursor: page.nextCursor, watermark: page.watermark ?? null };
  }

  /**
   * All entries of a list with a cursor, which is fetched while one goes along.
   *
   * @template [T=any]
   * @param {string} path
   * @param {Query} [query] the filters of the list, and size
   * @param {CallOptions} [options]
   * @returns {AsyncGenerator<T, void, undefined>}
   */
  async *each(path, query, options) {
    for (let cursor = ''; ; ) {
      /** @type {Page<T>} */
      const page = await this.page(path, { ...query, cursor }, options);
      yield* page.items;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** Ends everything: calls under way throw an AbortError, and streams, stores and timers end. */
  close() {
    for (const live of this.#lives) live.close();
    this.#caller.close();
  }
}

/** The calls of one area. */
class Area {
  /** @param {Hub} hub */
  constructor(hub) {
    /** @protected */
    this.hub = hub;
  }
}

class Todos extends Area {
  /**
   * A page of her todos, the last changed first.
   *
   * @param {{list?: TodoList} & ListOptions} [options] list: toHandle by default
   * @returns {Promise<Page<Todo>>}
   */
  page({ list, cursor, size, ...options } = {}) {
    return this.hub.page('/portal/todos', { list, cursor, size }, options);
  }

  /**
   * All her todos of a list.
   *
   * @param {{list?: TodoList, size?: number} & CallOptions} [options]
   * @returns {AsyncGenerator<Todo, void, undefined>}
   */
  each({ list, size, ...options } = {}) {
    return this.hub.each('/portal/todos', { list, size }, options);
  }
}

class Messages extends Area {
  /**
   * A page of her messages, the newest first.
   *
   * @param {{status?: 'UNREAD' | 'READ'} & ListOptions} [options] status: any by default
   * @returns {Promise<Page<Message>>}
   */
  page({ status, cursor, size, ...options } = {}) {
    return this.hub.page('/portal/messages', { status, cursor, size }, options);
  }

  /**
   * All her messages.
   *
   * @param {{status?: 'UNREAD' | 'READ', size?: number} & CallOptions} [options]
   * @returns {AsyncGenerator<Message, void, undefined>}
   */
  each({ status, size, ...options } = {}) {
    return this.hub.each('/portal/messages', { status, size }, options);
  }

  /**
   * Marks a message as read; one that is read already stays so.
   *
   * @param {string} sourceMessageId
   * @param {CallOptions} [options]
   * @returns {Promise<number>} how many records became read
   */
  async read(sourceMessageId, options) {
    const path = `/portal/messages/${encodeURIComponent(sourceMessageId)}/read`;
    return Number((await this.hub.call('POST', path, options)).headers.get('Hub-Switched'));
  }

  /**
   * Marks as read what was there when a page was read, so that nothing is read that came later.
   *
   * @param {{upTo: string, sourceAppId?: string, category?: string} & CallOptions} options upTo: the watermark of a page
   * @returns {Promise<number>} how many became read
   */
  async readAll({ upTo, sourceAppId, category, ...options }) {
    const body = { upTo, sourceAppId, category };
    return (await this.hub.call('POST', '/portal/messages/read-all', { ...options, body })).data.switched;
  }
}

class Apps extends Area {
  /**
   * The apps that she may jump into.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<App[]>}
   */
  async list(options) {
    return (await this.hub.call('GET', '/portal/apps', options)).data;
  }

  /**
   * The address of a link into an app, which logs her in there where the app takes tickets.
   *
   * @param {string} appId
   * @param {string} [to] a path below that of the app
   */
  jumpUrl(appId, to) {
    return `${this.hub.url}/apps/${encodeURIComponent(appId)}/jump${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`;
  }

  /**
   * Where an app is, for who does not follow a link. A ticket in it is good for 60 seconds.
   *
   * @param {string} appId
   * @param {{to?: string} & CallOptions} [options]
   * @returns {Promise<Jump>}
   */
  async jump(appId, { to, ...options } = {}) {
    return (await this.hub.call('GET', `/apps/${encodeURIComponent(appId)}/jump`, { ...options, query: { to } })).data;
  }
}

class Feeds extends Area {
  /**
   * A page of news or notices that she may see, what is pinned first, then the newest.
   *
   * @param {{type?: FeedType} & ListOptions} [options]
   * @returns {Promise<Page<FeedItem>>}
   */
  page({ type, cursor, size, ...options } = {}) {
    return this.hub.page('/cms/feeds', { type, cursor, size }, options);
  }

  /**
   * All news or notices that she may see.
   *
   * @param {{type?: FeedType, size?: number} & CallOptions} [options]
   * @returns {AsyncGenerator<FeedItem, void, undefined>}
   */
  each({ type, size, ...options } = {}) {
    return this.hub.each('/cms/feeds', { type, size }, options);
  }
}

class Articles extends Area {
  /**
   * An article that she may see, with its text.
   *
   * @param {string} id
   * @param {CallOptions} [options]
   * @returns {Promise<Article>}
   */
  async get(id, options) {
    return (await this.hub.call('GET', `/cms/articles/${encodeURIComponent(id)}`, options)).data;
  }
}
