// The start of the portal: who is here, which page is asked for, and what is live.
import { Hub, HubError } from '../client/index.js';
import { h } from './dom.js';
import { listen } from './live.js';
import { empty, linkButton } from './parts/basics.js';
import { Portal } from './portal.js';
import { language, languages, showTheme } from './preferences.js';
import { asked, comeBack, find, loginAddress, pageLink } from './router.js';
import { routes } from './routes.js';
import { shell } from './shell.js';
import { refreshTimes } from './times.js';

/** @typedef {import('./portal.js').Page} Page */
/** @typedef {import('./types.js').Me} Me */
/** @typedef {import('./types.js').Message} Message */

const root = /** @type {HTMLElement} */ (document.getElementById('app'));

const hub = new Hub({ onSessionEnd: () => location.assign(loginAddress()) });

/** The person, or nobody who is sent to the login. While Hub is away it is asked again. */
async function whoIsHere() {
  for (let seconds = 1; ; seconds = Math.min(30, 2 * seconds)) {
    try {
      return await hub.me();
    } catch (failure) {
      if (!(failure instanceof HubError)) throw failure;
      if (failure.status === 401) return new Promise(() => {}); // the login follows
    }
    const words = languages[language()];
    root.replaceChildren(h('div', { class: 'boot', role: 'status' }, h('span', { class: 'boot-mark', 'aria-hidden': 'true' }), h('p', null, words.offline)));
    await new Promise((go) => { setTimeout(go, seconds * 500 * (1 + Math.random())); });
  }
}

async function start() {
  showTheme();
  comeBack();
  const portal = new Portal(hub, /** @type {Me} */ (await whoIsHere()), (change) => live.changed(change));
  const admin = portal.me.permissions.length > 0 ? await import('./admin/routes.js').then(({ adminRoutes }) => adminRoutes(portal)) : { routes: [], nav: () => [] };
  const all = [...routes, ...admin.routes];

  /** @type {Page | null} */
  let page = null;
  let over = false;
  let frame = draw();

  function draw() {
    document.documentElement.lang = portal.language === 'zh' ? 'zh-CN' : 'en';
    const drawn = shell(portal, { admin: admin.nav(), logOut, languageChosen });
    root.replaceChildren(drawn.element);
    return drawn;
  }

  function languageChosen() {
    portal.language = language();
    frame = draw();
    frame.state(state);
    go(false);
    if (portal.counts) showCounts(portal.counts);
  }

  /** @param {boolean} focus */
  function go(focus) {
    if (over) return;
    const { path, query } = asked();
    const found = find(all, path);
    page?.close?.();
    page = found ? found.route.page(portal, { path, params: found.params, query }) : missing();
    frame.show(page.element, path, focus);
    showTitle();
  }

  /** @returns {Page} */
  function missing() {
    const { missing: words } = portal.words;
    return { title: words.title, element: h('div', { class: 'card' }, h('h1', { class: 'unseen', tabindex: '-1' }, words.title), empty('search', words, linkButton(words.home, pageLink('/'), { kind: 'primary' }))) };
  }

  function showTitle() {
    const unread = portal.counts?.unread;
    document.title = `${unread ? `(${unread}) ` : ''}${page?.title ?? ''} · ${portal.words.brand}`;
  }

  /** @param {import('./types.js').Counts} counts */
  function showCounts(counts) {
    portal.counts = counts;
    frame.counts(counts);
    page?.counts?.(counts);
    showTitle();
  }

  /** Shows the end of the session, and nothing of the person. */
  function leave() {
    over = true;
    page?.close?.();
    hub.close();
    const { words } = portal;
    document.title = words.brand;
    root.replaceChildren(h('main', { class: 'boot' }, h('h1', { tabindex: '-1' }, words.loggedOut), h('p', null, words.loggedOutText), linkButton(words.logInAgain, '/portal/', { kind: 'primary' })));
    root.querySelector('h1')?.focus();
  }

  async function logOut() {
    try {
      const { logoutUrl } = await hub.logout();
      leave();
      if (logoutUrl) location.assign(logoutUrl);
    } catch (failure) {
      if (!(failure instanceof HubError && failure.status === 401)) portal.note(portal.words.logoutFailed);
    }
  }

  /** @type {import('./live.js').State} */
  let state = 'connecting';
  const tell = arrivals(portal);
  const live = listen(hub, {
    counts: showCounts,
    changed(changes) {
      page?.changed?.(changes);
      if (changes.has('message') || changes.has('all')) void tell();
    },
    state(now) {
      state = now;
      frame.state(now);
    },
  });
  addEventListener('hashchange', (event) => (page?.leaving?.(event) ?? true) && go(true));
  setInterval(refreshTimes, 30_000);
  go(false);
}

/**
 * Tells of messages that arrive while the page is open; those that were there are not told of.
 *
 * @param {Portal} portal
 */
function arrivals(portal) {
  /** @type {Set<string> | null} */
  let known = null;
  return async () => {
    try {
      const { data } = await portal.call('/portal/messages?status=UNREAD&size=5');
      const messages = /** @type {Message[]} */ (data);
      const before = known;
      known = new Set([...known ?? [], ...messages.map(({ id }) => id)]);
      const fresh = before && messages.find(({ id }) => !before.has(id));
      if (fresh && !asked().path.startsWith('/inbox')) {
        portal.note(portal.words.message.arrived(fresh.title), linkButton(portal.words.open, pageLink('/inbox')));
      }
    } catch {
      // The next change asks again.
    }
  };
}

void start();
