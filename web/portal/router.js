// Pages by the fragment of the address: /portal/#/todos?list=done. The paths below /portal/ answer JSON.

/**
 * @typedef {object} Visit
 * @property {string} path without its query, with a slash first
 * @property {Record<string, string>} params of the route
 * @property {URLSearchParams} query
 */

/**
 * @template Page
 * @typedef {{ path: string, page: Page }} Route
 */

/**
 * What the address asks for.
 *
 * @param {string} [fragment]
 * @returns {{ path: string, query: URLSearchParams }}
 */
export function asked(fragment = location.hash) {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  return { path: path.startsWith('/') ? path.replace(/(.)\/+$/, '$1') : '/', query: new URLSearchParams(query) };
}

/**
 * The route of a path, and what its variables (`:id`) are there.
 *
 * @template Page
 * @param {Route<Page>[]} routes
 * @param {string} path
 * @returns {{ route: Route<Page>, params: Record<string, string> } | null}
 */
export function find(routes, path) {
  const got = path.split('/');
  for (const route of routes) {
    const want = route.path.split('/');
    /** @type {Record<string, string>} */
    const params = {};
    const fits = want.length === got.length && want.every((segment, i) => {
      const value = got[i] ?? '';
      if (!segment.startsWith(':')) return segment === value;
      try {
        params[segment.slice(1)] = decodeURIComponent(value);
      } catch {
        return false;
      }
      return value !== '';
    });
    if (fits) return { route, params };
  }
  return null;
}

/**
 * The address of a page, for a link.
 *
 * @param {string} path
 * @param {Record<string, string | null | undefined>} [query]
 */
export function pageLink(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  return `#${path}${given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : ''}`;
}

/**
 * The login, which comes back to the page that is shown. A fragment does not reach the server, so it goes along
 * as a parameter.
 */
export function loginAddress() {
  const { path, query } = asked();
  const at = path + (query.size ? `?${query}` : '');
  const back = at === '/' ? '/portal/' : `/portal/?at=${encodeURIComponent(at)}`;
  return `/portal/login?returnTo=${encodeURIComponent(back)}`;
}

/** After a login, shows the page that was left for it. */
export function comeBack() {
  const at = new URLSearchParams(location.search).get('at');
  if (at === null) return;
  history.replaceState(null, '', `/portal/${at.startsWith('/') ? `#${at}` : ''}`);
}
