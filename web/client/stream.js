/**
 * @import { Caller } from './call.js'
 * @import { EventType, HubEvent } from './types.js'
 */
import { HubError } from './error.js';
import { following, jitter, pause } from './pause.js';
import { parser } from './sse.js';

/** How long a client waits before it connects again, in milliseconds, until Hub says otherwise (contract). */
const reconnect = 3000;
/** The bounds of the waits after the first failure and after many, in milliseconds. */
const firstWait = 1000;
const longestWait = 60_000;
/** The types of events that are told; heartbeats only show that the stream lives. */
const types = new Set(['message', 'read', 'todo']);
/** An id that a header can carry as it is. Others go into the query. */
const plain = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * @typedef {object} StreamOptions
 * @property {string[]} topics
 * @property {number} silence milliseconds without a byte after which the stream is given up
 * @property {string | null} lastId the id of the last event that was heard
 * @property {(event: HubEvent) => void} heard
 * @property {(phase: 'connecting' | 'open' | 'waiting', error: HubError | null) => void} told
 */

/**
 * A stream of events, which is opened again whenever it ends. It is read by fetch: an EventSource sends no
 * token, tells nobody why it was refused, and waits for ever on a stream that is silent.
 */
export class Stream {
  #caller;
  #options;
  #retry = reconnect;
  #heardAt = 0;
  /** @type {(anew: boolean) => void} */
  #woken = () => {};

  /**
   * @param {Caller} caller
   * @param {StreamOptions} options
   */
  constructor(caller, options) {
    this.#caller = caller;
    this.#options = options;
    /** The id of the last event that was heard, from which the next connection goes on. */
    this.lastId = options.lastId;
  }

  /**
   * Listens until the signal is aborted.
   *
   * @param {AbortSignal} signal
   * @throws {HubError} when Hub refuses the stream for good
   */
  async run(signal) {
    for (let failures = 0; !signal.aborted; ) {
      this.#options.told('connecting', null);
      const { opened, hurry, error } = await this.#connection(signal);
      if (signal.aborted) return;
      if (!opened && !error.temporary) throw error;
      this.#options.told('waiting', opened ? null : error);
      if (opened) {
        failures = 0;
        await this.#wait(hurry ? Math.random() * firstWait : this.#retry * (1 + Math.random() / 2), this.#retry, signal);
      } else {
        const least = (error.retryAfter ?? 0) * 1000;
        await this.#wait(least + jitter(failures++, firstWait, longestWait), least, signal);
      }
    }
  }

  /**
   * The page is seen again, or the network is back: a wait after a failure is cut short, and a stream that
   * has been silent for too long, while timers slept, is opened anew.
   *
   * @param {boolean} anew whether any stream from before is good for nothing
   */
  wake(anew) {
    this.#woken(anew);
  }

  /**
   * One connection, from its request to its end.
   *
   * @param {AbortSignal} signal
   */
  async #connection(signal) {
    const { topics, silence, told } = this.#options;
    const scope = following(signal, this.#caller.closed);
    const silent = () => scope.abort(new HubError(`the stream was silent for ${silence} ms`));
    let timer = setTimeout(silent, silence);
    let opened = false;
    let hurry = false;
    this.#heardAt = Date.now();
    this.#woken = (anew) => {
      if (!anew && Date.now() - this.#heardAt < silence) return;
      hurry = true;
      scope.abort(new HubError('the stream is opened anew'));
    };
    try {
      const inHeader = this.lastId !== null && plain.test(this.lastId);
      const response = await this.#caller.send('GET', '/message-hub/stream', {
        query: { topics: topics.join(','), lastEventId: inHeader ? null : this.lastId },
        headers: { Accept: 'text/event-stream', ...(inHeader ? { 'Last-Event-ID': /** @type {string} */ (this.lastId) } : {}) },
      }, scope.signal);
      if (!response.body || !response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
        throw new HubError('what answered is no stream of Hub', { status: 502 });
      }
      opened = true;
      this.#retry = reconnect;
      told('open', null);
      const take = parser((event) => this.#take(event), (milliseconds) => { this.#retry = milliseconds; });
      const text = new TextDecoder();
      for (const reader = response.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) throw new HubError('the stream ended');
        this.#heardAt = Date.now();
        clearTimeout(timer);
        timer = setTimeout(silent, silence);
        take(text.decode(value, { stream: true }));
      }
    } catch (fault) {
      const cause = scope.signal.aborted ? scope.signal.reason : fault;
      return { opened, hurry, error: cause instanceof HubError ? cause : new HubError('the stream was cut', { cause }) };
    } finally {
      clearTimeout(timer);
      this.#woken = () => {};
      scope.abort(undefined); // a body that nobody reads
      scope.release();
    }
  }

  /** @param {{type: string, data: string, id: string | null}} event */
  #take({ type, data, id }) {
    if (id !== null) this.lastId = id;
    if (!types.has(type)) return;
    try {
      const said = JSON.parse(data);
      this.#options.heard({ type: /** @type {EventType} */ (type), id: said.id ?? null, ts: said.ts });
    } catch {
      // An event of another Hub than this one knows. What it was about is fetched when the next one comes.
    }
  }

  /**
   * Waits, but for no longer than least once it is woken.
   *
   * @param {number} ms
   * @param {number} least
   * @param {AbortSignal} signal
   */
  async #wait(ms, least, signal) {
    const begun = Date.now();
    const nap = following(signal, this.#caller.closed);
    this.#woken = () => nap.abort(undefined);
    await pause(ms, nap.signal).catch(() => {});
    this.#woken = () => {};
    nap.release();
    if (!nap.signal.aborted || signal.aborted) return;
    // The network comes back to many at once.
    const left = Math.max(least - (Date.now() - begun), Math.random() * firstWait);
    await pause(left, signal).catch(() => {});
  }
}
