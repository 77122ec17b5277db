// The todos of everybody.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { avatar, badge, button, empty, pageHead } from '../parts/basics.js';
import { pagedList } from '../parts/paged.js';
import { due, timeAgo } from '../times.js';
import { filterBar } from './filters.js';
import { areaField, formDialog, textField } from './form.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('./types.js').ManagedTodo} ManagedTodo */

/**
 * @param {Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function todosPage(portal, { query }) {
  const { words } = portal;
  const our = words.manage.todos;
  const filters = filterBar(portal, '/manage/todos', query, [
    { name: 'userId', label: words.manage.user },
    { name: 'deptId', label: words.manage.dept },
    { name: 'roleId', label: words.manage.role },
    { name: 'sourceSystem', label: our.source },
    { name: 'status', label: our.status, choices: [['', our.statuses.OPEN], ['CLEARED', our.statuses.CLEARED], ['INVALID', our.statuses.INVALID], ['all', our.anyStatus]] },
    { name: 'type', label: our.type, choices: [['', our.anyType], ['HANDLE', our.types.HANDLE], ['REVIEW', our.types.REVIEW]] },
  ], () => list.reset());
  const list = /** @type {ReturnType<typeof pagedList<ManagedTodo>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/portal/admin/todos', { ...filters.values(), cursor, size })),
    key: (/** @type {ManagedTodo} */ { id }) => id,
    row: (/** @type {ManagedTodo} */ todo) => row(portal, todo, () => void list.refresh()),
    none: () => empty('check', our.none),
  }));
  return {
    title: our.title,
    element: h('div', null, pageHead(our.title, { lead: our.lead }), h('section', { class: 'card', 'aria-label': our.title }, filters.element, list.element)),
    changed: (changes) => (changes.has('todo') || changes.has('all')) && void list.refresh(),
    close: list.close,
  };
}

/**
 * @param {Portal} portal
 * @param {ManagedTodo} todo
 * @param {() => void} cleared
 */
function row(portal, todo, cleared) {
  const { words, tongue } = portal;
  const our = words.manage.todos;
  const isOpen = todo.status === 'OPEN';
  const late = isOpen && todo.dueAt && Date.parse(todo.dueAt) < Date.now();
  const when = todo.dueAt ? due(new Date(todo.dueAt), tongue) : '';
  return h('li', { class: 'row managed' }, avatar(todo.assigneeUsername, { kind: 'round' }),
    h('div', { class: 'row-body' },
      h('span', { class: 'row-title' }, todo.title),
      todo.summary && h('p', { class: 'row-text' }, todo.summary),
      h('p', { class: 'row-meta' },
        badge(statusText(our.statuses, todo.status), isOpen ? 'info' : todo.status === 'CLEARED' ? 'good' : ''),
        when && isOpen && badge(late ? words.todo.overdue(when) : words.todo.due(when), late ? 'bad' : '', late ? 'alert' : 'clock'),
        h('strong', null, todo.assigneeUsername), h('span', null, our.from(todo.sourceSystem)), todo.category && h('span', null, todo.category),
        todo.result && h('span', null, todo.result), todo.clearedBy && h('span', null, words.todo.finished(todo.clearedBy)), timeAgo(todo.clearedAt, tongue))),
    isOpen && h('div', { class: 'row-actions' }, button(our.clear, { kind: 'small', icon: 'check', click: () => clear(portal, todo, cleared) })));
}

/**
 * @param {Record<string, string>} texts
 * @param {string} status
 */
const statusText = (texts, status) => texts[status] ?? status;

/**
 * @param {Portal} portal
 * @param {ManagedTodo} todo
 * @param {() => void} cleared
 */
function clear(portal, todo, cleared) {
  const our = portal.words.manage.todos;
  const fields = { result: textField(our.result, '', { hint: our.resultHint }), reason: areaField(our.reason, '', { hint: our.reasonHint }) };
  formDialog(portal, {
    title: our.clear, lead: our.clearLead(todo.title, todo.assigneeUsername), fields, yes: our.clear,
    save: async () => {
      const body = { result: fields.result.control.value.trim(), reason: fields.reason.control.value.trim() };
      await portal.call(`/portal/admin/todos/${encodeURIComponent(todo.id)}/clear`, { method: 'POST', body });
      portal.note(our.cleared);
      cleared();
    },
  });
}
