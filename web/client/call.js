/** @import { Answer, HubOptions, RequestOptions, RequestParts, Query } from './types.js' */
import { HubError } from './error.js';
import { following, jitter, pause, tell } from './pause.js';

/** The longest wait before a call is repeated, in milliseconds. Who is told to wait longer is told so. */
const patience = 3000;

/** Makes the calls: whose they are, what their answers mean, and when they are repeated. */
export class Caller {
  #token;
  #fetch;
  #timeout;
  #retries;
  #onSessionEnd;
  #closing = new AbortController();
  /** @type {Promise<string | null> | null} */
  #renewal = null;
  #ended = false;

  /** @param {HubOptions} options */
  constructor({ url, token, onSessionEnd, fetch = globalThis.fetch, timeout = 15_000, retries = 2 }) {
    const page = globalThis.location?.origin;
    if (url === undefined && page === undefined) throw new TypeError('url is needed where there is no page');
    /** Where Hub is, without a slash at the end. */
    this.url = url === undefined ? /** @type {string} */ (page) : new URL(url, page).href.replace(/\/+$/, '');
    if (!token && page !== undefined && new URL(this.url).origin !== page) {
      throw new TypeError('a session counts for pages of the origin of Hub only; pages of others need a token');
    }
    this.#token = token;
    this.#fetch = fetch;
    this.#timeout = timeout;
    this.#retries = retries;
    this.#onSessionEnd = onSessionEnd;
  }

  /** Whether calls are made with the session cookie of the browser. */
  get session() {
    return !this.#token;
  }

  /** Aborted by close. */
  get closed() {
    return this.#closing.signal;
  }

  /** Ends what is under way, which then throws an AbortError. */
  close() {
    this.#closing.abort(new DOMException('the client was closed', 'AbortError'));
  }

  /**
   * Makes a call, and repeats it while it fails for a moment: every call that this client makes may be repeated.
   *
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} [options]
   * @returns {Promise<Answer<T>>}
   * @throws {HubError}
   */
  async call(method, path, options = {}) {
    const { retries = this.#retries } = options;
    for (let failures = 0; ; failures++) {
      try {
        return await this.#once(method, path, options);
      } catch (error) {
        if (!(error instanceof HubError) || !error.temporary || failures >= retries) throw error;
        const wait = Math.max(jitter(failures, 250, patience), (error.retryAfter ?? 0) * 1000);
        if (wait > patience) throw error;
        const until = following(options.signal, this.closed);
        await pause(wait, until.signal).finally(until.release);
      }
    }
  }

  /**
   * @template T
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} options
   * @returns {Promise<Answer<T>>}
   */
  async #once(method, path, options) {
    const { timeout = this.#timeout } = options;
    const scope = following(options.signal, this.closed);
    const late = new HubError(`${method} ${path}: no answer within ${timeout} ms`);
    const timer = setTimeout(() => scope.abort(late), timeout);
    try {
      const response = await this.send(method, path, options, scope.signal);
      if (response.status === 304) return { data: /** @type {T} */ (undefined), page: null, headers: response.headers };
      const { data, page } = await envelope(response);
      return { data, page: page ?? null, headers: response.headers };
    } catch (error) {
      throw scope.signal.aborted ? scope.signal.reason : failure(error, method, path);
    } finally {
      clearTimeout(timer);
      scope.release();
    }
  }

  /**
   * Sends a request and gives the answer, which is a success or 304. A token that Hub refuses is renewed once.
   *
   * @param {string} method
   * @param {string} path
   * @param {RequestParts} parts
   * @param {AbortSignal} signal
   * @returns {Promise<Response>}
   * @throws {HubError}
   */
  async send(method, path, parts, signal) {
    const token = await this.#ask(false);
    let response = await this.#fetchWith(token, method, path, parts, signal);
    if (response.status === 401 && token !== null) {
      await response.body?.cancel();
      response = await this.#fetchWith(await this.#another(token), method, path, parts, signal);
    }
    if (response.ok || response.status === 304) {
      this.#ended = false;
      return response;
    }
    const error = await refusal(response);
    if (error.status === 401) this.endSession(error);
    throw error;
  }

  /** Tells nobody of the end of this session, since the page has ended it. */
  forget() {
    this.#ended = true;
  }

  /**
   * Tells that the session is over, once until a call succeeds again.
   *
   * @param {HubError} error
   */
  endSession(error) {
    if (this.#ended || this.closed.aborted) return;
    this.#ended = true;
    tell(this.#onSessionEnd, error);
  }

  /**
   * @param {string | null} token
   * @param {string} method
   * @param {string} path
   * @param {RequestParts} parts
   * @param {AbortSignal} signal
   */
  async #fetchWith(token, method, path, { query, headers, body }, signal) {
    const raw = body instanceof Blob || body instanceof FormData;
    return this.#fetch.call(globalThis, this.url + path + search(query), {
      method,
      headers: {
        ...(body === undefined || raw ? {} : { 'Content-Type': 'application/json' }),
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined || raw ? /** @type {BodyInit | undefined} */ (body) : JSON.stringify(body),
      credentials: token === null ? 'same-origin' : 'omit',
      redirect: 'error',
      signal,
    });
  }

  /** @param {boolean} renew */
  async #ask(renew) {
    return this.#token ? this.#token({ renew, signal: this.closed }) : null;
  }

  /**
   * A token in place of one that was refused. Calls that were refused with the same one wait for one new token.
   *
   * @param {string} refused
   */
  async #another(refused) {
    const current = await (this.#renewal ?? this.#ask(false));
    if (current !== refused) return current;
    this.#renewal ??= this.#ask(true).finally(() => { this.#renewal = null; });
    return this.#renewal;
  }
}

/** @param {Query} [query] */
function search(query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/**
 * The envelope of a success.
 *
 * @param {Response} response
 */
async function envelope(response) {
  const text = await response.text();
  const answer = parsed(text);
  if (answer?.code !== '0') throw error(response, answer);
  return answer;
}

/** @param {Response} response which is no success */
async function refusal(response) {
  return error(response, parsed(await response.text()));
}

/**
 * @param {Response} response
 * @param {any} answer what it says, if it is JSON
 */
function error({ status, headers, url }, answer) {
  const after = Number(headers.get('Retry-After') ?? NaN);
  const known = typeof answer?.code === 'string' && typeof answer.msg === 'string';
  return new HubError(known ? answer.msg : `${new URL(url).pathname}: ${status}, and no answer of Hub`, {
    // A success without an envelope is that of somebody between, who may be gone in a moment.
    status: !known && status < 300 ? 502 : status,
    code: known ? answer.code : '',
    requestId: headers.get('X-Request-Id'),
    retryAfter: Number.isFinite(after) ? after : null,
  });
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What went wrong on the way.
 *
 * @param {unknown} cause
 * @param {string} method
 * @param {string} path
 */
function failure(cause, method, path) {
  return cause instanceof HubError ? cause : new HubError(`${method} ${path}: no answer`, { cause });
}
