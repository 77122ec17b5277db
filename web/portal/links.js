// Addresses that others wrote.

/** The schemes with which an address would run something here. */
const running = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'filesystem:', 'view-source:']);

/**
 * The address where a link may lead, or null for what is no address or would run something in this page. Hub
 * refuses such addresses, too; this holds whatever it stores.
 *
 * @param {string | null | undefined} address
 * @returns {string | null}
 */
export function safeLink(address) {
  if (!address) return null;
  try {
    const url = new URL(address, location.origin);
    return running.has(url.protocol) ? null : url.href;
  } catch {
    return null;
  }
}

/**
 * The address of a file of Hub, or null for anything else.
 *
 * @param {string | null | undefined} address
 * @returns {string | null}
 */
export function fileLink(address) {
  return address && /^\/files\/[0-9a-f]{32}$/.test(address) ? address : null;
}

/**
 * Where a todo is handled: in its application through a jump, so that it knows who comes, else at its address.
 *
 * @param {{ actionUrl: string, actionAppId: string }} todo
 * @param {{ appId: string, entryUrl: string }[]} apps
 * @returns {string | null}
 */
export function todoLink(todo, apps) {
  const link = safeLink(todo.actionUrl);
  const app = apps.find(({ appId }) => appId === todo.actionAppId);
  if (!link || !app) return link;
  const [there, entry] = [new URL(link), new URL(app.entryUrl)];
  const inside = there.origin === entry.origin && there.pathname.startsWith(entry.pathname) && !there.hash;
  return inside ? jumpLink(app.appId, there.pathname + there.search) : link;
}

/**
 * @param {string} appId
 * @param {string} [to]
 */
export function jumpLink(appId, to) {
  return `/apps/${encodeURIComponent(appId)}/jump${to ? `?to=${encodeURIComponent(to)}` : ''}`;
}
