/** Statuses after which the same call may succeed in a while. 0 is no answer at all. */
const temporary = new Set([0, 429, 502, 503, 504]);

/**
 * A call that failed: Hub refused it, a proxy answered in its place, or nobody did.
 */
export class HubError extends Error {
  /**
   * @param {string} message what Hub says is wrong
   * @param {object} [details]
   * @param {number} [details.status]
   * @param {string} [details.code]
   * @param {string | null} [details.requestId]
   * @param {number | null} [details.retryAfter]
   * @param {unknown} [details.cause]
   */
  constructor(message, { status = 0, code = '', requestId = null, retryAfter = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HubError';
    /** The status of HTTP; 0 when there was no answer, or none in time. */
    this.status = status;
    /** The code of the envelope: "-1" from Hub, and empty where the answer was none of Hub's. */
    this.code = code;
    /** What finds the call in Hub's log; null where there was no answer. */
    this.requestId = requestId;
    /** Seconds to wait before the call is repeated; null where nothing was said. */
    this.retryAfter = retryAfter;
  }

  /** Whether the same call may succeed later: 429, 502, 503, 504 and no answer. */
  get temporary() {
    return temporary.has(this.status);
  }
}
