// Asks before something that is not saved is left.
import { confirm } from '../parts/dialog.js';

/** @typedef {import('../portal.js').Portal} Portal */

/**
 * Watches over a page until it is closed.
 *
 * @param {Portal} portal
 * @param {() => boolean} unsaved
 * @param {() => void} discard
 */
export function watch(portal, unsaved, discard) {
  let asking = false;
  const away = (/** @type {BeforeUnloadEvent} */ event) => {
    if (unsaved()) event.preventDefault();
  };
  addEventListener('beforeunload', away);
  return {
    /** Tells whether the page may be left for the address of now; it stays while that is asked. @param {HashChangeEvent} event */
    leaving(event) {
      if (!unsaved()) return true;
      const wanted = location.hash;
      history.replaceState(null, '', new URL(event.oldURL).hash);
      if (asking) return false;
      asking = true;
      void confirm(portal.words, { ...portal.words.manage.unsaved, danger: true }).then((sure) => {
        asking = false;
        if (!sure) return;
        discard();
        location.hash = wanted;
      });
      return false;
    },
    close: () => removeEventListener('beforeunload', away),
  };
}
