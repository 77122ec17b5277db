// The four lists of todos.
import { h } from '../dom.js';
import { withQuery } from '../api.js';
import { empty, pageHead } from '../parts/basics.js';
import { searchField } from '../parts/field.js';
import { pagedList } from '../parts/paged.js';
import { tabs } from '../parts/tabs.js';
import { todoRow } from '../parts/todorow.js';
import { pageLink } from '../router.js';

/** @typedef {import('../types.js').Todo} Todo */
/** @typedef {import('../types.js').TodoList} TodoList */

/** @type {TodoList[]} */
const lists = ['toHandle', 'toRead', 'done', 'read'];

/**
 * @param {import('../portal.js').Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function todosPage(portal, { query }) {
  const { words } = portal;
  let list = lists.find((name) => name === query.get('list')) ?? 'toHandle';
  let search = query.get('q') ?? '';
  /** @type {import('../types.js').App[]} */
  let apps = [];
  const note = h('p', { class: 'hint', role: 'status' });

  const todos = /** @type {ReturnType<typeof pagedList<Todo>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/portal/todos', { list, cursor, size })),
    key: (/** @type {Todo} */ { id }) => id,
    row: (/** @type {Todo} */ todo) => todoRow(portal, todo, apps),
    state: () => apps.length,
    none: () => (search ? empty('search', { title: words.todo.noneFound, text: search }) : empty('check', words.noTodos[list])),
    shown: (items, _first, complete) => {
      note.textContent = search && !complete ? words.todo.searchOnly(items.length) : '';
    },
  }));
  const panel = h('div', null, note, todos.element);
  const choice = tabs({
    label: words.todos,
    tabs: lists.map((name) => ({ name, text: words.lists[name] })),
    chosen: list,
    panel,
    choose(name) {
      list = name;
      keepAddress();
      todos.reset();
    },
  });

  /** @param {string} text */
  function find(text) {
    search = text;
    keepAddress();
    todos.filter(matcher(text));
    if (!text) note.textContent = '';
  }

  const keepAddress = () => history.replaceState(null, '', pageLink('/todos', { list: list === 'toHandle' ? null : list, q: search }));

  if (search) find(search);
  void portal.apps().then((known) => {
    apps = known;
    todos.draw();
  });
  const counts = (/** @type {import('../types.js').Counts} */ { toHandle, toRead }) => choice.count({ toHandle, toRead });
  if (portal.counts) counts(portal.counts);
  return {
    title: words.todos,
    element: h('div', null,
      pageHead(words.todos),
      h('section', { class: 'card', 'aria-label': words.todos }, h('div', { class: 'tools' }, searchField(words.todo.searchIn, find, search)), choice.element, panel)),
    counts,
    changed: () => void todos.refresh(),
    close: todos.close,
  };
}

/**
 * Tells which todos have all words of a text.
 *
 * @param {string} text
 * @returns {((todo: Todo) => boolean) | null}
 */
function matcher(text) {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return null;
  return ({ title, summary, category, sourceSystem, initiatorUsername, result }) => {
    const all = [title, summary, category, sourceSystem, initiatorUsername, result].join(' ').toLocaleLowerCase();
    return parts.every((part) => all.includes(part));
  };
}
