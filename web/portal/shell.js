// The frame around the pages: navigation, the account's menu, and what is wrong at the moment.
import { h } from './dom.js';
import { avatar, count } from './parts/basics.js';
import { icon } from './parts/icon.js';
import { menu } from './parts/menu.js';
import { chooseLanguage, chooseTheme, languages, theme } from './preferences.js';

/** @typedef {import('./portal.js').Portal} Portal */
/** @typedef {import('./live.js').State} State */
/** @typedef {import('./types.js').Counts} Counts */
/** @typedef {{ path: string, text: string, icon: import('./parts/icon.js').IconName, count?: keyof Counts }} NavItem */

/** Where the mark of the product is. */
const mark = new URL('./icon.svg', import.meta.url).href;

/**
 * @param {Portal} portal
 * @param {{ admin: NavItem[], logOut: () => void, languageChosen: () => void }} options
 */
export function shell(portal, { admin, logOut, languageChosen }) {
  const { words } = portal;
  const items = navItems(portal);
  const main = h('main', { class: 'main', id: 'main' });
  const page = h('div');
  const state = h('span', { id: 'state' }, words.state.connecting);
  const banner = h('div', { class: 'banner', role: 'status', hidden: true }, icon('away'), words.offline);
  main.append(banner, page);
  const account = () => accountItems(portal, { logOut, languageChosen });
  const brand = () => h('a', { class: 'brand', href: '#/' }, h('img', { src: mark, alt: '' }), words.brand);
  const list = (/** @type {NavItem[]} */ all) => h('ul', null, ...all.map((item) => h('li', null, navLink(item))));

  const element = h('div', { class: 'shell' },
    h('a', { class: 'skip', href: '#/', click: (/** @type {Event} */ event) => { event.preventDefault(); focusHeading(main); } }, words.skip),
    h('nav', { class: 'side', 'aria-label': words.navigation },
      brand(), list(items),
      admin.length > 0 && h('p', { class: 'side-title', id: 'nav-admin' }, words.admin), admin.length > 0 && list(admin),
      h('div', { class: 'grow' }),
      h('p', { class: 'state' }, state),
      menu(accountButton(portal, true), account, { up: true, label: words.account })),
    h('header', { class: 'top' }, brand(), h('span', { class: 'grow' }), menu(accountButton(portal, false), account, { label: words.account })),
    main,
    h('nav', { 'aria-label': words.navigation }, h('ul', { class: 'bottom' },
      ...items.slice(0, 4).map((item) => h('li', null, navLink(item))),
      h('li', null, menu(h('button', { type: 'button', class: 'nav-item' }, icon('more'), h('span', { class: 'label' }, words.more)),
        () => [...items.slice(4), ...admin].map((item) => h('a', { class: 'menu-item', href: `#${item.path}` }, icon(item.icon), item.text)),
        { up: true, label: words.more })))),
    portal.notes);

  return {
    element,
    /**
     * Shows a page.
     *
     * @param {HTMLElement} shown
     * @param {string} path
     * @param {boolean} focus whether who listens is told of it
     */
    show(shown, path, focus) {
      page.replaceChildren(shown);
      for (const link of element.querySelectorAll('a.nav-item')) {
        const to = link.getAttribute('href')?.slice(1) ?? '';
        if (to === path || to !== '/' && path.startsWith(`${to}/`)) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
      if (!focus) return;
      scrollTo(0, 0);
      focusHeading(main);
    },
    /** @param {State} now */
    state(now) {
      state.textContent = words.state[now];
      state.dataset.state = now;
      banner.hidden = now !== 'away';
    },
    /** @param {Counts} counts */
    counts(counts) {
      for (const link of element.querySelectorAll('a.nav-item[data-count]')) {
        const n = counts[/** @type {keyof Counts} */ (/** @type {HTMLElement} */ (link).dataset.count)];
        link.querySelector('.count')?.remove();
        link.querySelector('.unseen')?.remove();
        const number = count(n);
        if (!number) continue;
        number.setAttribute('aria-hidden', 'true');
        link.append(number, h('span', { class: 'unseen' }, words.badge(n)));
      }
    },
  };
}

/**
 * @param {Portal} portal
 * @returns {NavItem[]}
 */
function navItems({ words }) {
  return [
    { path: '/', text: words.home, icon: 'home' },
    { path: '/todos', text: words.todos, icon: 'todos', count: 'toHandle' },
    { path: '/inbox', text: words.inbox, icon: 'inbox', count: 'unread' },
    { path: '/news', text: words.news, icon: 'news' },
    { path: '/notices', text: words.notices, icon: 'notices' },
    { path: '/apps', text: words.apps, icon: 'apps' },
  ];
}

/** @param {NavItem} item */
function navLink(item) {
  return h('a', { class: 'nav-item', href: `#${item.path}`, 'data-count': item.count }, icon(item.icon), h('span', { class: 'label' }, item.text));
}

/**
 * @param {Portal} portal
 * @param {boolean} wide
 */
function accountButton(portal, wide) {
  const { words, name, me } = portal;
  return h('button', { type: 'button', class: 'account' },
    avatar(name, { kind: 'round' }),
    !wide && h('span', { class: 'unseen' }, words.account),
    wide && h('span', { class: 'account-name' }, h('strong', { id: 'who' }, name), h('span', null, me.email ?? me.username)),
    wide && icon('down'));
}

/**
 * @param {Portal} portal
 * @param {{ logOut: () => void, languageChosen: () => void }} options
 */
function accountItems(portal, { logOut, languageChosen }) {
  const { words, language } = portal;
  const chosen = theme();
  const next = /** @type {const} */ ({ auto: 'light', light: 'dark', dark: 'auto' })[chosen];
  const other = language === 'zh' ? 'en' : 'zh';
  const item = (/** @type {import('./parts/icon.js').IconName} */ name, /** @type {string} */ text, /** @type {() => void} */ click, id = '') =>
    h('button', { type: 'button', class: 'menu-item', click, id: id || null }, icon(name), text);
  return [
    h('a', { class: 'menu-item', href: '#/account' }, icon('user'), words.account),
    item(chosen === 'dark' ? 'moon' : 'sun', `${words.theme}: ${words.themes[chosen]}`, () => chooseTheme(next)),
    h('button', {
      type: 'button', class: 'menu-item', lang: other,
      click: () => {
        chooseLanguage(other);
        languageChosen();
      },
    }, icon('globe'), languages[other].language),
    h('hr'),
    item('leave', words.logOut, logOut, 'logout'),
  ];
}

/** @param {HTMLElement} main */
function focusHeading(main) {
  const heading = main.querySelector('h1');
  if (heading) heading.focus({ preventScroll: true });
}
