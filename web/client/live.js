/**
 * @import { Caller } from './call.js'
 * @import { Hub } from './hub.js'
 * @import { CountName, Counts, HubEvent, LiveEvents, LiveOptions, LiveState, StoreOptions } from './types.js'
 */
import { HubError } from './error.js';
import { following, tell } from './pause.js';
import { Store } from './store.js';
import { Stream } from './stream.js';
import { lead } from './tabs.js';

/** How often a count of what is overdue is looked at again: no event tells that a time has come. */
const minute = 60_000;

/**
 * What one tab tells the others. lastId is that of the last event which its stream has heard.
 *
 * @typedef {{kind: 'hello'} | {kind: 'wake', anew: boolean}
 *   | {kind: 'state', phase: LiveState['phase'], error: Fault | null, lastId: string | null}
 *   | {kind: 'event', event: HubEvent, lastId: string | null}} Word
 */

/** @typedef {Pick<HubError, 'message' | 'status' | 'code' | 'requestId' | 'retryAfter'>} Fault a HubError that can be sent */

/**
 * Hears of changes. One of the tabs that share a name has the stream, and tells the others what it hears.
 */
export class Live {
  #hub;
  #caller;
  #topics;
  #silence;
  /** @type {string | null} */
  #name;
  #closing = new AbortController();
  /** @type {Map<keyof LiveEvents, Set<(detail: any) => void>>} */
  #listeners = new Map();
  /** @type {LiveState} */
  #state = { phase: 'connecting', leader: false, error: null };
  /** @type {string | null} */
  #lastId = null;
  /** @type {string | null} */
  #person = null;
  /** @type {Stream | null} */
  #stream = null;
  /** @type {BroadcastChannel | null} */
  #tabs = null;
  /** @type {ReturnType<typeof following> | null} */
  #present = null;

  /**
   * Hub.live makes it.
   *
   * @param {Hub} hub
   * @param {Caller} caller
   * @param {LiveOptions} options
   */
  constructor(hub, caller, { topics = ['inbox', 'todo'], tabs, silence = 45_000 }) {
    this.#hub = hub;
    this.#caller = caller;
    this.#topics = topics;
    this.#silence = silence;
    const shared = tabs === undefined && caller.session && globalThis.document ? '' : tabs ?? null;
    this.#name = shared === null ? null : `hub ${caller.url} ${topics.join()} ${shared}`;
    this.#watchPage();
    this.#begin();
  }

  /** Where the stream is. */
  get state() {
    return this.#state;
  }

  /** Aborted by close. */
  get closed() {
    return this.#closing.signal;
  }

  /**
   * Calls a listener when something happens.
   *
   * @template {keyof LiveEvents} K
   * @param {K} type
   * @param {(detail: LiveEvents[K]) => void} listener
   * @returns {() => void} what ends it
   */
  on(type, listener) {
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(listener));
    return () => all.delete(listener);
  }

  /**
   * A value that follows what Hub has.
   *
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} load fetches it
   * @param {StoreOptions} [options]
   * @returns {Store<T>}
   */
  store(load, options) {
    return new Store(this, load, options);
  }

  /**
   * The numbers of badges, always as Hub has them.
   *
   * @param {{lists?: CountName[]} & StoreOptions} [options]
   * @returns {Store<Counts>}
   */
  counts({ lists, ...options } = {}) {
    const timed = lists === undefined || lists.includes('overdue');
    return this.store((signal) => this.#hub.counts({ lists, signal, retries: 0 }), { every: timed ? minute : 0, ...options });
  }

  /** Ends the stream, or leaves it to another tab, and ends all stores. */
  close() {
    if (this.closed.aborted) return;
    this.#closing.abort(new DOMException('it was closed', 'AbortError'));
    this.#leave();
    this.#become({ phase: 'closed', leader: false, error: null });
    this.#listeners.clear();
  }

  /**
   * Ends it in all tabs that share it, as Hub does when the session is over. Stores stay, with nothing to hear.
   *
   * @param {HubError} error why
   */
  end(error) {
    this.#say({ kind: 'state', phase: 'ended', error: fault(error), lastId: this.#lastId });
    this.#stop(error);
  }

  /**
   * A page that the browser keeps for its back button gives the stream back, and begins anew when it is shown.
   */
  #watchPage() {
    if (!globalThis.document) return;
    const options = { signal: this.closed };
    addEventListener('pagehide', () => this.#leave(), options);
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted || this.#state.phase === 'ended') return;
      this.#become({ phase: 'connecting', leader: false, error: null });
      this.#begin();
    }, options);
    addEventListener('online', () => this.#wake(true), options);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#wake(false);
    }, options);
  }

  #begin() {
    const present = following(this.closed, this.#caller.closed);
    this.#present = present;
    if (this.#name !== null && globalThis.BroadcastChannel) {
      this.#tabs = new BroadcastChannel(this.#name);
      this.#tabs.onmessage = ({ data }) => this.#hear(data);
      this.#say({ kind: 'hello' });
    }
    lead(this.#name, (signal) => this.#lead(signal), present.signal).catch((error) => {
      if (!present.signal.aborted) this.end(error instanceof HubError ? error : new HubError(String(error), { cause: error }));
    });
  }

  #leave() {
    this.#present?.abort(undefined);
    this.#present?.release();
    this.#present = null;
    this.#tabs?.close();
    this.#tabs = null;
  }

  /**
   * Holds the stream for all tabs.
   *
   * @param {AbortSignal} signal
   */
  async #lead(signal) {
    if (signal.aborted) return;
    const stream = new Stream(this.#caller, {
      topics: this.#topics,
      silence: this.#silence,
      lastId: this.#lastId,
      heard: (event) => {
        this.#lastId = stream.lastId;
        this.#say({ kind: 'event', event, lastId: stream.lastId });
        this.#emit(event.type, event);
      },
      told: (phase, error) => {
        this.#say({ kind: 'state', phase, error: fault(error), lastId: stream.lastId });
        this.#become({ phase, leader: true, error });
      },
    });
    this.#stream = stream;
    try {
      await stream.run(signal);
    } finally {
      this.#stream = null;
      if (this.#state.leader) this.#become({ ...this.#state, leader: false });
    }
  }

  /**
   * Looks whose session it is now: somebody else may have logged in with this browser, and what she is told of
   * is none of this page's.
   */
  async #recognise() {
    if (this.#name === null || !this.#caller.session || !this.#present) return;
    try {
      const { username } = await this.#hub.me({ signal: this.#present.signal });
      this.#person ??= username;
      if (this.#person === username) return;
      const error = new HubError('somebody else has logged in', { status: 401 });
      this.#caller.endSession(error);
      this.#stop(error);
    } catch {
      // The stream tells when the session is over, and the next one asks again.
    }
  }

  /** @param {HubError} error */
  #stop(error) {
    this.#leave();
    this.#become({ phase: 'ended', leader: false, error });
  }

  /** @param {Word} word */
  #hear(word) {
    switch (word.kind) {
      case 'hello':
        if (this.#stream) this.#say({ kind: 'state', phase: this.#state.phase, error: fault(this.#state.error), lastId: this.#stream.lastId });
        break;
      case 'wake':
        this.#stream?.wake(word.anew);
        break;
      case 'event':
        this.#follow(word.lastId);
        this.#emit(word.event.type, word.event);
        break;
      case 'state':
        this.#follow(word.lastId);
        if (this.#stream && word.phase !== 'ended') break; // two lead for a moment, as one leaves
        this.#learn(word.phase, word.error && new HubError(word.error.message, word.error));
        break;
    }
  }

  /**
   * @param {LiveState['phase']} phase of the tab that has the stream
   * @param {HubError | null} error
   */
  #learn(phase, error) {
    if (phase !== 'ended' || !error) return this.#become({ phase, leader: false, error });
    if (error.status === 401) this.#caller.endSession(error);
    this.#stop(error);
  }

  /** @param {string | null} lastId where another tab's stream is; who has one of her own knows better */
  #follow(lastId) {
    if (!this.#stream && lastId !== null) this.#lastId = lastId;
  }

  /** @param {boolean} anew */
  #wake(anew) {
    this.#stream?.wake(anew);
    this.#say({ kind: 'wake', anew });
  }

  /** @param {Word} word */
  #say(word) {
    this.#tabs?.postMessage(word);
  }

  /** @param {LiveState} state */
  #become(state) {
    const opened = state.phase === 'open' && this.#state.phase !== 'open';
    this.#state = state;
    this.#emit('state', state);
    if (!opened) return;
    this.#emit('open', undefined);
    this.#recognise();
  }

  /**
   * @template {keyof LiveEvents} K
   * @param {K} type
   * @param {LiveEvents[K]} detail
   */
  #emit(type, detail) {
    for (const listener of this.#listeners.get(type) ?? []) tell(listener, detail);
  }
}

/** @param {HubError | null} error */
function fault(error) {
  if (error === null) return null;
  const { message, status, code, requestId, retryAfter } = error;
  return { message, status, code, requestId, retryAfter };
}
