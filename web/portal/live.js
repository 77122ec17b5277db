// What is live: the counts of the badges, and that something has changed. All tabs share one stream.

/** @typedef {import('./types.js').Counts} Counts */
/** @typedef {'connecting' | 'live' | 'away'} State */
/** @typedef {'message' | 'read' | 'todo' | 'all'} Change all: anything may have changed */

/**
 * @typedef {object} Listener
 * @property {(counts: Counts) => void} counts
 * @property {(changes: Set<Change>) => void} changed
 * @property {(state: State) => void} state
 */

/** How long changes are gathered before anybody is told, in milliseconds. */
const quiet = 100;

/**
 * Listens until the page is left.
 *
 * @param {import('../client/index.js').Hub} hub
 * @param {Listener} listener
 */
export function listen(hub, listener) {
  const live = hub.live();
  const counts = live.counts({ spread: quiet });
  /** @type {Set<Change>} */
  let changes = new Set();
  let timer = 0;

  /** @param {Change} change */
  function changed(change) {
    changes.add(change);
    if (timer) return;
    timer = setTimeout(() => {
      const gathered = changes;
      changes = new Set();
      timer = 0;
      listener.changed(gathered);
    }, quiet);
  }

  for (const type of /** @type {const} */ (['message', 'read', 'todo'])) live.on(type, () => changed(type));
  live.on('open', () => changed('all'));
  live.on('state', ({ phase }) => listener.state(phase === 'open' ? 'live' : phase === 'connecting' ? 'connecting' : 'away'));
  counts.subscribe(({ value }) => value && listener.counts(/** @type {Counts} */ (value)));
  return {
    /** This page has changed something: it is shown at once, also while the stream is away. @param {Change} change */
    changed(change) {
      changed(change);
      void counts.refresh();
    },
  };
}
