// What every page is given: who is logged in, the words, calls, and the counts.
import { HubError } from './api.js';
import { language, languages } from './preferences.js';
import { locale } from './times.js';
import { toasts } from './parts/toast.js';

/** @typedef {import('./types.js').Me} Me */
/** @typedef {import('./types.js').Counts} Counts */
/** @typedef {import('./types.js').App} App */
/** @typedef {import('./live.js').Change} Change */
/** @typedef {import('./preferences.js').Words} Words */
/** @typedef {import('./preferences.js').Language} Language */

/**
 * @typedef {object} Page
 * @property {string} title of the window
 * @property {HTMLElement} element
 * @property {(changes: Set<Change>) => void} [changed] something of the person's has changed at the server
 * @property {(counts: Counts) => void} [counts] the counts are these
 * @property {(event: HashChangeEvent) => boolean} [leaving] tells whether another page may be shown; it has put the address back otherwise
 * @property {() => void} [close] another page is shown
 */

/** @typedef {(portal: Portal, visit: import('./router.js').Visit) => Page} PageMaker */

export class Portal {
  /** @type {Counts | null} */
  counts = null;
  /** @type {Promise<App[]> | null} */
  #apps = null;
  #notes = toasts();

  /**
   * @param {import('../client/index.js').Hub} hub
   * @param {Me} me
   * @param {(change: Change) => void} changed is told that this page has changed something
   */
  constructor(hub, me, changed) {
    this.hub = hub;
    this.me = me;
    this.changed = changed;
    this.language = language();
  }

  get words() {
    return languages[this.language];
  }

  /** The locale for Intl. */
  get tongue() {
    return locale(this.language);
  }

  /** What the person is called. */
  get name() {
    return this.me.name || this.me.username;
  }

  /** Where notes are shown. */
  get notes() {
    return this.#notes.element;
  }

  /** @param {string} permission */
  may(permission) {
    return this.me.permissions.includes(permission);
  }

  /**
   * Makes a call. Who is not logged in any more goes to the login and comes back to this page.
   *
   * @param {string} path with its query
   * @param {{ method?: string, body?: unknown, signal?: AbortSignal }} [options]
   * @returns {Promise<import('./api.js').Envelope>}
   */
  async call(path, { method = 'GET', ...options } = {}) {
    try {
      return await this.hub.call(method, path, options);
    } catch (failure) {
      if (!(failure instanceof HubError) || failure.status !== 401) throw failure;
      return new Promise(() => {}); // the login follows
    }
  }

  /**
   * Does what the person asked for, and says when it did not work.
   *
   * @template Result
   * @param {() => Promise<Result>} action
   * @returns {Promise<Result | undefined>}
   */
  async act(action) {
    try {
      return await action();
    } catch (failure) {
      this.note(this.explain(failure));
      return undefined;
    }
  }

  /**
   * What a failure means, for the person.
   *
   * @param {unknown} failure
   */
  explain(failure) {
    const { failed } = this.words;
    if (!(failure instanceof HubError)) return failed.action;
    if (failure.status === 429) return failed.busy;
    if (failure.status === 403) return failed.forbidden;
    return failure.status >= 400 && failure.status < 500 ? failure.message : failed.action;
  }

  /**
   * Shows a note for some seconds.
   *
   * @param {string} text
   * @param {HTMLElement} [action]
   */
  note(text, action) {
    this.#notes.show(text, action);
  }

  /** The apps that the person may jump into; asked for once. */
  apps() {
    this.#apps ??= this.call('/portal/apps').then(({ data }) => data).catch(() => {
      this.#apps = null;
      return [];
    });
    return this.#apps;
  }
}
