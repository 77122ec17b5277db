/**
 * @import { Live } from './live.js'
 * @import { EventType, Snapshot, StoreOptions } from './types.js'
 */
import { HubError } from './error.js';
import { jitter, longest, tell } from './pause.js';

/** The shortest wait after a change, in milliseconds, in which more of them may come. */
const quiet = 50;

/**
 * A value that Hub has: it is fetched, and fetched again when Hub tells of a change and when the stream was
 * opened again. Nothing is ever counted here. There is one fetch at a time, so that no older answer comes
 * behind a newer one, and many changes make few fetches.
 *
 * @template T
 */
export class Store {
  #load;
  #every;
  #spread;
  /** @type {Snapshot<T>} */
  #snapshot = { value: null, error: null };
  /** @type {Set<(snapshot: Snapshot<T>) => void>} */
  #listeners = new Set();
  #closing = new AbortController();
  /** @type {(() => void)[]} */
  #leave;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #loading = false;
  /** Whether something changed after the fetch that is under way had begun. */
  #changed = false;
  /** Whether a change waits to be fetched. */
  #due = false;
  #failures = 0;
  /** @type {((snapshot: Snapshot<T>) => void)[]} */
  #waiting = [];

  /**
   * @param {Live} live
   * @param {(signal: AbortSignal) => Promise<T>} load
   * @param {StoreOptions} [options]
   */
  constructor(live, load, { on = ['message', 'read', 'todo'], every = 0, spread = 400 } = {}) {
    this.#load = load;
    this.#every = every;
    this.#spread = spread;
    const change = () => this.#change(false);
    const close = () => this.close();
    live.closed.addEventListener('abort', close);
    this.#leave = [
      ...on.map((type) => live.on(/** @type {EventType} */ (type), change)), live.on('open', () => this.#change(true)),
      () => live.closed.removeEventListener('abort', close),
    ];
    this.#fetch();
  }

  /** What is known now. */
  get snapshot() {
    return this.#snapshot;
  }

  /**
   * Calls a listener now and after each fetch.
   *
   * @param {(snapshot: Snapshot<T>) => void} listener
   * @returns {() => void} what ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    tell(listener, this.#snapshot);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Fetches it now, as after a change that this page made. The promise is never rejected.
   *
   * @returns {Promise<Snapshot<T>>} the answer to a fetch that began after this call
   */
  refresh() {
    if (this.#closing.signal.aborted) return Promise.resolve(this.#snapshot);
    return new Promise((done) => {
      this.#waiting.push(done);
      if (!this.#loading) this.#fetch();
    });
  }

  /** Ends it: nothing is fetched any more, and no listener is called. */
  close() {
    this.#closing.abort(new DOMException('the store was closed', 'AbortError'));
    clearTimeout(this.#timer);
    for (const leave of this.#leave) leave();
    this.#listeners.clear();
    for (const done of this.#waiting.splice(0)) done(this.#snapshot);
  }

  /** @param {boolean} opened whether the stream was opened, so that Hub is there again */
  #change(opened) {
    if (this.#loading) this.#changed = true;
    if (this.#loading || this.#due || (this.#failures > 0 && !opened)) return;
    this.#due = true;
    this.#after(quiet + Math.random() * this.#spread);
  }

  /** @param {number} ms */
  #after(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fetch(), Math.min(ms, longest));
  }

  async #fetch() {
    const { signal } = this.#closing;
    clearTimeout(this.#timer);
    const waiting = this.#waiting.splice(0);
    this.#loading = true;
    this.#changed = this.#due = false;
    let again = this.#every;
    try {
      this.#snapshot = { value: await this.#load(signal), error: null };
      this.#failures = 0;
    } catch (fault) {
      const error = fault instanceof Error ? fault : new Error(String(fault));
      if (!signal.aborted) this.#snapshot = { value: this.#snapshot.value, error };
      const passes = error instanceof HubError && error.temporary;
      again = passes ? (error.retryAfter ?? 0) * 1000 + jitter(this.#failures, 1000, 60_000) : 0;
      this.#failures = passes ? this.#failures + 1 : 0;
    }
    this.#loading = false;
    for (const done of waiting) done(this.#snapshot);
    if (signal.aborted) return;
    for (const listener of this.#listeners) tell(listener, this.#snapshot);
    if (this.#loading || signal.aborted) return; // a listener has refreshed or closed it
    if (this.#waiting.length > 0) this.#fetch();
    else if (this.#changed && this.#failures === 0) this.#change(false);
    else if (again > 0) this.#after(again);
  }
}
