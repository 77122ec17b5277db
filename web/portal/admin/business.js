// To be a business system for a while: what one pushes here, a person sees at once. There is such a page only where
// Hub has its demo people, whose provider tells the client of the demo.
import { Hub } from '../../client/index.js';
import { h } from '../dom.js';
import { badge, button, card, empty, pageHead } from '../parts/basics.js';
import { areaField, choiceField, faults, textField } from './form.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {{ clientId: string, clientSecret: string, users: string[] }} Demo */
/** @typedef {'notice' | 'alarm' | 'approval'} Kind */
/** @typedef {{ kind: Kind, id: string, user: string, title: string, state: 'sent' | 'cleared' | 'withdrawn' }} Sent */

const kinds = /** @type {const} */ (['notice', 'alarm', 'approval']);

/** What was sent since the portal was opened, the last first. @type {Sent[]} */
const sent = [];

/**
 * The client of the demo, or null where there is no demo.
 *
 * @param {Portal} portal
 * @returns {Promise<Demo | null>}
 */
export async function demoOf(portal) {
  try {
    return (await portal.call('/demo/client')).data;
  } catch {
    return null;
  }
}

/**
 * @param {Portal} portal
 * @param {Demo} demo
 * @returns {import('../portal.js').Page}
 */
export function businessPage(portal, demo) {
  const { words } = portal;
  const our = words.manage.business;
  const system = new Hub({ token: () => token(demo) });
  const fields = {
    targetUsernames: choiceField(our.user, demo.users[0] ?? '', demo.users.map((name) => [name, name])),
    kind: choiceField(our.kind, 'notice', kinds.map((kind) => [kind, our.kinds[kind]])),
    title: textField(our.name, our.examples.notice.title),
    content: areaField(our.text, our.examples.notice.text),
  };
  const wrong = faults(portal, fields);
  const list = h('div');
  const push = button(our.push, { kind: 'primary', type: 'submit', icon: 'upload', id: 'push' });

  fields.kind.control.addEventListener('change', () => {
    const example = our.examples[/** @type {Kind} */ (fields.kind.control.value)];
    fields.title.control.value = example.title;
    fields.content.control.value = example.text;
  });

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    push.disabled = true;
    try {
      sent.unshift(await send(system, {
        kind: /** @type {Kind} */ (fields.kind.control.value), user: fields.targetUsernames.control.value,
        title: fields.title.control.value.trim(), text: fields.content.control.value.trim(), category: our.kinds[/** @type {Kind} */ (fields.kind.control.value)],
      }));
      wrong.clear();
      draw();
    } catch (failure) {
      wrong.show(failure);
    }
    push.disabled = false;
  }

  /**
   * @param {Sent} one
   * @param {'cleared' | 'withdrawn'} state
   */
  async function end(one, state) {
    const done = await portal.act(() => system.call('POST', `/todo-hub/todos/${encodeURIComponent(one.id)}/${state === 'cleared' ? 'clear' : 'invalidate'}`, {
      body: state === 'cleared' ? { result: our.result, clearedBy: one.user } : { reason: our.reason },
    }));
    if (!done) return;
    one.state = state;
    draw();
  }

  function draw() {
    list.replaceChildren(sent.length === 0 ? empty('upload', our.none) : h('ul', { class: 'rows' }, ...sent.map((one) => h('li', { class: 'row managed' },
      h('div', { class: 'row-body' },
        h('span', { class: 'row-title' }, one.title),
        h('p', { class: 'row-meta' }, badge(our.kinds[one.kind], one.kind === 'alarm' ? 'bad' : one.kind === 'approval' ? 'info' : ''), h('strong', null, one.user),
          one.state !== 'sent' && badge(our.states[one.state], one.state === 'cleared' ? 'good' : ''))),
      one.kind === 'approval' && one.state === 'sent' && h('div', { class: 'row-actions' },
        button(our.clear, { kind: 'small', icon: 'check', click: () => void end(one, 'cleared') }),
        button(our.withdraw, { kind: 'small', click: () => void end(one, 'withdrawn') }))))));
  }

  draw();
  return {
    title: our.title,
    element: h('div', null, pageHead(our.title, { lead: our.lead(demo.clientId) }),
      h('div', { class: 'columns' },
        h('div', null, card(our.form, [], h('form', { class: 'form sheet', novalidate: true, submit }, wrong.element, ...Object.values(fields).map(({ element }) => element), h('div', { class: 'form-actions' }, push)))),
        h('div', null, card(our.sent, [], list)))),
    close: () => system.close(),
  };
}

/**
 * A token of the client, as a business system gets it. The client asks for another when Hub refuses it.
 *
 * @param {Demo} demo
 * @returns {Promise<string>}
 */
async function token({ clientId, clientSecret }) {
  const answer = await fetch('/api/login/oauth/token', {
    method: 'POST', credentials: 'omit',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: 'client' }),
  });
  return (await answer.json()).access_token;
}

/**
 * @param {Hub} system
 * @param {{ kind: Kind, user: string, title: string, text: string, category: string }} what
 * @returns {Promise<Sent>}
 */
async function send(system, { kind, user, title, text, category }) {
  const id = `demo-${crypto.randomUUID()}`;
  if (kind === 'approval') {
    await system.call('POST', '/todo-hub/todos', { body: {
      todoId: id, type: 'HANDLE', sourceBizId: id, assigneeUsername: user, title, summary: text, category,
      actionUrl: 'https://example.com/approvals/', dueAt: new Date(Date.now() + 2 * 86_400_000).toISOString(),
    } });
  } else {
    await system.call('POST', '/message-hub/messages', { body: { sourceMessageId: id, targetUsernames: [user], title, content: text, category } });
  }
  return { kind, id, user, title, state: 'sent' };
}
