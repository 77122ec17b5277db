// The first page: what waits for the person, what is new, and where she goes from here.
import { h, keyed } from '../dom.js';
import { appTile } from '../parts/apptile.js';
import { bones, button, card, empty, linkButton, pageHead } from '../parts/basics.js';
import { icon } from '../parts/icon.js';
import { messageRows } from '../parts/messagerow.js';
import { noticeRow, story } from '../parts/story.js';
import { tabs } from '../parts/tabs.js';
import { todoRow } from '../parts/todorow.js';
import { pageLink } from '../router.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('../types.js').Counts} Counts */
/** @typedef {import('../types.js').Home} Home */
/** @typedef {import('../types.js').Message} Message */
/** @typedef {import('../types.js').Todo} Todo */
/** @typedef {import('../types.js').TodoList} TodoList */

/**
 * @param {Portal} portal
 * @returns {import('../portal.js').Page}
 */
export function homePage(portal) {
  const { words } = portal;
  const lead = h('span');
  const numbers = stats(portal);
  const todos = todoCard(portal, refresh);
  const messages = messageCard(portal);
  const news = h('div', { class: 'later', hidden: true });
  const notices = h('div', { hidden: true });
  const apps = h('div', { class: 'later', hidden: true });
  const element = h('div', null,
    pageHead(greeting(portal), { lead }), numbers.element,
    h('div', { class: 'columns' }, h('div', null, todos.element, news), h('div', null, messages.element, notices, apps)));
  let timer = 0;
  let closed = false;
  let busy = false;
  let again = false;

  async function refresh() {
    clearTimeout(timer);
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const { data } = await portal.call('/portal/home');
      if (!closed) show(data);
    } catch {
      if (!closed) retry();
    }
    busy = false;
    if (!again) return;
    again = false;
    void refresh();
  }

  const retry = () => {
    timer = setTimeout(() => void refresh(), 5000 + 5000 * Math.random());
  };

  /** @param {Home} home */
  function show(home) {
    // The badges' own counts are newer: this answer may have been made before the change that they tell of.
    if (home.counts && !portal.counts) counts(/** @type {Counts} */ (home.counts));
    todos.show(home.todos, home.apps ?? []);
    messages.show(home.messages);
    part(news, home.news, home.news === null && home.unavailable.includes('news'), words.news, '/news', 'news',
      (all) => h('ul', { class: 'stories' }, ...all.map((article) => story(portal, article))));
    part(notices, home.notices, home.notices === null && home.unavailable.includes('notices'), words.notices, '/notices', 'notices',
      (all) => h('ul', { class: 'rows' }, ...all.map((article) => noticeRow(portal, article))));
    part(apps, home.apps, home.apps === null && home.unavailable.includes('apps'), words.apps, '/apps', 'apps',
      (all) => h('ul', { class: 'tiles' }, ...all.map((app) => appTile(portal, app))));
    if (home.unavailable.length > 0) retry();
  }

  /**
   * Shows a part of the page. One that nothing serves is hidden, and one that failed says so.
   *
   * @template Item
   * @param {HTMLElement} place
   * @param {Item[] | null} items
   * @param {boolean} failed
   * @param {string} title
   * @param {string} path
   * @param {'news' | 'notices' | 'apps'} kind
   * @param {(items: Item[]) => HTMLElement} list
   */
  function part(place, items, failed, title, path, kind, list) {
    if (failed && !place.hidden) return; // what was shown stays
    place.hidden = !failed && (items === null || items.length === 0);
    const print = JSON.stringify(items);
    if (place.hidden || place.dataset.print === print) return;
    place.dataset.print = print;
    place.replaceChildren(items
      ? card(title, [linkButton(words.showAll, pageLink(path), { kind: 'quiet small' })], list(items))
      : card(title, [], empty('away', { title: words.failed.part(title), text: words.failed.text })));
  }

  /** @param {Counts} now */
  function counts(now) {
    numbers.show(now);
    todos.count(now);
    const waiting = now.toHandle + now.toRead + now.unread;
    lead.textContent = waiting ? words.waiting(waiting) : words.nothingWaiting;
  }

  if (portal.counts) counts(portal.counts);
  void refresh();
  return {
    title: words.home,
    element,
    counts,
    changed: () => {
      void refresh();
      todos.refresh();
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** @param {Portal} portal */
function greeting({ words, name }) {
  const hour = new Date().getHours();
  return words.greeting[hour < 12 && hour >= 4 ? 'morning' : hour < 18 && hour >= 4 ? 'day' : 'evening'](name);
}

/** @param {Portal} portal */
function stats({ words }) {
  const all = /** @type {const} */ ([
    { name: 'toHandle', icon: 'todos', tone: 0, href: pageLink('/todos') },
    { name: 'overdue', icon: 'clock', tone: 5, href: pageLink('/todos') },
    { name: 'toRead', icon: 'read', tone: 1, href: pageLink('/todos', { list: 'toRead' }) },
    { name: 'unread', icon: 'inbox', tone: 4, href: pageLink('/inbox', { show: 'unread' }) },
  ]);
  const numbers = new Map(all.map(({ name }) => [name, h('span', { class: 'number', id: name }, '–')]));
  const links = all.map((stat) => h('a', { class: 'card stat', href: stat.href },
    h('span', { class: 'tile', 'data-tone': stat.tone }, icon(stat.icon)), numbers.get(stat.name), h('span', { class: 'label' }, words.counts[stat.name])));
  return {
    element: h('div', { class: 'stats' }, ...links),
    /** @param {Counts} counts */
    show(counts) {
      for (const [name, element] of numbers) element.textContent = String(counts[name]);
      numbers.get('overdue')?.closest('.stat')?.classList.toggle('alarm', counts.overdue > 0);
    },
  };
}

/**
 * The four lists of todos. The first comes with the page, the others when they are chosen.
 *
 * @param {Portal} portal
 * @param {() => void} refreshHome
 */
function todoCard(portal, refreshHome) {
  const { words } = portal;
  const rows = h('ul', { class: 'rows' });
  const panel = h('div', null, bones(5, words.loading));
  const all = linkButton(words.showAll, pageLink('/todos'), { kind: 'quiet small' });
  /** @type {TodoList} */
  let list = 'toHandle';
  /** @type {import('../types.js').App[]} */
  let apps = [];
  const choice = tabs({
    label: words.todos,
    tabs: /** @type {TodoList[]} */ (['toHandle', 'toRead', 'done', 'read']).map((name) => ({ name, text: words.lists[name] })),
    chosen: list,
    panel,
    choose(name) {
      list = name;
      all.href = pageLink('/todos', { list: name === 'toHandle' ? null : name });
      panel.replaceChildren(bones(5, words.loading));
      if (name === 'toHandle') refreshHome();
      else void fetchList();
    },
  });

  async function fetchList() {
    const asked = list;
    try {
      const { data } = await portal.call(`/portal/todos?list=${asked}&size=5`);
      if (asked === list) draw(data);
    } catch {
      if (asked === list) fail();
    }
  }

  /** @param {Todo[]} items */
  function draw(items) {
    if (items.length === 0) return panel.replaceChildren(empty('check', words.noTodos[list]));
    keyed(rows, items, ({ id }) => id, (todo) => todoRow(portal, todo, apps), () => [apps.length, portal.language]);
    if (!panel.contains(rows)) panel.replaceChildren(rows);
    return undefined;
  }

  function fail() {
    if (!panel.contains(rows)) panel.replaceChildren(empty('away', words.failed, button(words.retry, { click: list === 'toHandle' ? refreshHome : () => void fetchList() })));
  }

  return {
    element: card(words.todos, [all], choice.element, panel),
    /** @param {Counts} counts */
    count: ({ toHandle, toRead }) => choice.count({ toHandle, toRead }),
    refresh: () => list !== 'toHandle' && void fetchList(),
    /**
     * @param {Todo[] | null} items
     * @param {import('../types.js').App[]} known
     */
    show(items, known) {
      apps = known;
      if (list !== 'toHandle') return;
      if (items) draw(items);
      else fail();
    },
  };
}

/** @param {Portal} portal */
function messageCard(portal) {
  const { words } = portal;
  const rows = h('ul', { class: 'rows' });
  const panel = h('div', null, bones(5, words.loading));
  /** @type {Message[]} */
  let shown = [];
  const draw = () => keyed(rows, shown, ({ id }) => id, row, state);
  const { row, state } = messageRows(portal, draw);
  return {
    element: card(words.inbox, [linkButton(words.showAll, pageLink('/inbox'), { kind: 'quiet small' })], panel),
    /** @param {Message[] | null} items */
    show(items) {
      if (!items) {
        if (!panel.contains(rows)) panel.replaceChildren(empty('away', words.failed));
        return;
      }
      shown = items;
      draw();
      if (items.length === 0) panel.replaceChildren(empty('inbox', words.noMessages.all));
      else if (!panel.contains(rows)) panel.replaceChildren(rows);
    },
  };
}
