import { following } from './pause.js';

/**
 * Does some work in one tab of those that share a name: in that which has the lock. When it closes, or gives
 * the work up, the next one gets it.
 *
 * Where there are no Web Locks, which is on pages that did not come by https, each tab works while it is seen.
 *
 * @param {string | null} name null: the tab shares with nobody
 * @param {(signal: AbortSignal) => Promise<void>} work goes on until the signal is aborted
 * @param {AbortSignal} signal
 */
export async function lead(name, work, signal) {
  if (name === null || !globalThis.document) return work(signal);
  if (!navigator.locks) return leadWhileSeen(work, signal);
  await navigator.locks.request(name, { signal }, () => work(signal));
}

/**
 * @param {(signal: AbortSignal) => Promise<void>} work
 * @param {AbortSignal} signal
 */
async function leadWhileSeen(work, signal) {
  for (;;) {
    await seen(signal);
    if (signal.aborted) return;
    const scope = following(signal);
    const hidden = () => document.visibilityState === 'hidden' && scope.abort(undefined);
    document.addEventListener('visibilitychange', hidden);
    try {
      await work(scope.signal);
      if (!scope.signal.aborted) return;
    } finally {
      document.removeEventListener('visibilitychange', hidden);
      scope.release();
    }
  }
}

/**
 * Waits until the tab is seen, or the signal is aborted.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function seen(signal) {
  return new Promise((done) => {
    const look = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      done();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
