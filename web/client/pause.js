/**
 * A wait with full jitter: anything from 0 to a bound that doubles with each failure.
 *
 * @param {number} failures how many there were before this one
 * @param {number} first the bound after the first, in milliseconds
 * @param {number} most the largest bound, in milliseconds
 */
export function jitter(failures, first, most) {
  return Math.random() * Math.min(most, first * 2 ** Math.min(failures, 30));
}

/** The longest time of a timer, in milliseconds. One that is set for longer fires at once. */
export const longest = 2 ** 31 - 1;

/**
 * Waits for some milliseconds.
 *
 * @param {number} ms
 * @param {AbortSignal} signal what ends the wait; its reason is thrown
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((done, failed) => {
    if (signal.aborted) return failed(signal.reason);
    const aborted = () => {
      clearTimeout(timer);
      failed(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted);
      done();
    }, Math.min(ms, longest));
    signal.addEventListener('abort', aborted, { once: true });
  });
}

/**
 * A signal that follows others until it is released. AbortSignal.any would do, but the engines that have it
 * keep what follows a signal for as long as that one lives.
 *
 * @param {...(AbortSignal | null | undefined)} signals
 */
export function following(...signals) {
  const own = new AbortController();
  const kept = /** @type {AbortSignal[]} */ (signals.filter(Boolean));
  const follow = () => own.abort(kept.find((s) => s.aborted)?.reason);
  for (const signal of kept) signal.addEventListener('abort', follow, { once: true });
  if (kept.some((s) => s.aborted)) follow();
  return {
    signal: own.signal,
    /** @param {unknown} reason */
    abort: (reason) => own.abort(reason),
    release() {
      for (const signal of kept) signal.removeEventListener('abort', follow);
    },
  };
}

/**
 * Calls a callback of somebody else's, whose faults must not stop the caller.
 *
 * @template {unknown[]} A
 * @param {((...args: A) => unknown) | undefined} callback
 * @param {A} args
 */
export function tell(callback, ...args) {
  try {
    const result = callback?.(...args);
    if (result instanceof Promise) result.catch((fault) => console.error(fault));
  } catch (fault) {
    console.error(fault);
  }
}
