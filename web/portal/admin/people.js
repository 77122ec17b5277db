// The people whom Hub knows.
import { withQuery } from '../api.js';
import { h } from '../dom.js';
import { avatar, badge, empty, linkButton, pageHead } from '../parts/basics.js';
import { pagedList } from '../parts/paged.js';
import { pageLink } from '../router.js';
import { filterBar } from './filters.js';

/** @typedef {import('./types.js').Person} Person */

/**
 * @param {import('../portal.js').Portal} portal
 * @param {import('../router.js').Visit} visit
 * @returns {import('../portal.js').Page}
 */
export function peoplePage(portal, { query }) {
  const { words, me } = portal;
  const our = words.manage.people;
  /** How other calls name a person: by her username, or by the id of the directory (HUB_USER_IDS). @param {Person} person */
  const idOf = ({ username, userId }) => (me.userId === me.username ? username : userId);
  const filters = filterBar(portal, '/manage/people', query, [
    { name: 'q', label: our.find },
    { name: 'deptId', label: words.manage.dept },
    { name: 'roleId', label: words.manage.role },
  ], () => list.reset());
  const list = /** @type {ReturnType<typeof pagedList<Person>>} */ (pagedList(portal, {
    load: (cursor, size) => portal.call(withQuery('/directory/users', { ...filters.values(), cursor, size })),
    key: (/** @type {Person} */ { username }) => username,
    row,
    none: () => empty('people', our.none),
  }));

  /** @param {Person} person */
  function row(person) {
    const id = idOf(person);
    const name = person.name || person.username;
    const link = (/** @type {'todos' | 'messages'} */ kind) => portal.may(kind) && id &&
      linkButton(words.manage[kind].short, pageLink(`/manage/${kind}`, { userId: id, status: kind === 'todos' ? 'all' : null }), { kind: 'small' });
    return h('li', { class: `row managed${person.active ? '' : ' off'}` }, avatar(name, { kind: 'round' }),
      h('div', { class: 'row-body' },
        h('span', { class: 'row-title' }, name),
        h('p', { class: 'row-meta' }, !person.active && badge(our.inactive, 'warn'), h('strong', null, person.username),
          person.userId && person.userId !== person.username && h('span', null, person.userId), person.email && h('span', null, person.email), person.deptId && badge(person.deptId))),
      h('div', { class: 'row-actions' }, link('todos'), link('messages')));
  }

  return {
    title: our.title,
    element: h('div', null, pageHead(our.title, { lead: our.lead }), h('section', { class: 'card', 'aria-label': our.title }, filters.element, list.element)),
    close: list.close,
  };
}
