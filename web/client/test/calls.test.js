import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { Hub, HubError } from 'hub-client';
import { startHub } from './hub.js';
import { startProxy } from './proxy.js';

/** @type {Awaited<ReturnType<typeof startHub>>} */
let hub;
/** @type {Awaited<ReturnType<typeof startProxy>>} */
let proxy;
/** @type {Record<string, string>} */
const tokens = {};
before(async () => {
  hub = await startHub();
  proxy = await startProxy(hub.address);
  for (const name of ['amy', 'ben', 'carla']) tokens[name] = await hub.userToken(name);
});
after(async () => {
  await proxy.end();
  await hub.end();
});

/** A client of a person, which is closed with its test. */
function person(/** @type {import('node:test').TestContext} */ t, name = 'amy', options = {}) {
  const client = new Hub({ url: hub.url, token: () => tokens[name], ...options });
  t.after(() => client.close());
  return client;
}

/** @returns {Promise<any>} what a promise is rejected with */
const failure = (/** @type {Promise<unknown>} */ promise) => promise.then((value) => assert.fail(`it is ${value}`), (error) => error);

test('a person has what is hers, with a token and with a session', async (t) => {
  const amy = person(t);
  assert.equal((await amy.me()).username, 'amy');
  assert.deepEqual((await amy.home()).unavailable, []);
  assert.deepEqual(await amy.permissions(), []);
  assert.ok((await amy.apps.list()).length > 0);
  const ben = person(t, 'ben', { token: undefined, fetch: await hub.session('ben') });
  assert.equal((await ben.me()).username, 'ben');
  assert.ok((await ben.me()).sessionExpiresAt);
});

test('a list is walked to its end', async (t) => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await hub.todo('amy'));
  const amy = person(t);
  const walked = [];
  for await (const todo of amy.todos.each({ size: 2 })) walked.push(todo.id);
  assert.deepEqual(walked.sort(), ids.sort());
  const page = await amy.todos.page({ list: 'toHandle', size: 2 });
  assert.equal(page.items.length, 2);
  assert.equal((await amy.todos.page({ size: 3, cursor: /** @type {string} */ (page.nextCursor) })).nextCursor, null);
});

test('messages become read, one and all, and what came later stays', async (t) => {
  const ben = person(t, 'ben');
  const odd = await hub.push('ben', '发票/7 ?é');
  assert.equal(await ben.messages.read(odd), 1);
  assert.equal(await ben.messages.read(odd), 0);
  await hub.push('ben');
  const { watermark } = await ben.messages.page({ status: 'UNREAD' });
  const later = await hub.push('ben');
  assert.equal(await ben.messages.readAll({ upTo: /** @type {string} */ (watermark) }), 1);
  const left = [];
  for await (const message of ben.messages.each({ status: 'UNREAD' })) left.push(message.sourceMessageId);
  assert.deepEqual(left, [later]);
});

test('counts that are the same are not sent again', async (t) => {
  /** @type {number[]} */
  const statuses = [];
  /** @type {typeof fetch} */
  const recorded = async (input, init) => {
    const response = await fetch(input, init);
    statuses.push(response.status);
    return response;
  };
  const carla = person(t, 'carla', { fetch: recorded });
  const first = await carla.counts();
  assert.deepEqual(await carla.counts(), first);
  assert.deepEqual(await carla.counts({ lists: ['unread'] }), { unread: first.unread });
  await hub.push('carla');
  assert.equal((await carla.counts()).unread, Number(first.unread) + 1);
  assert.deepEqual(statuses, [200, 304, 200, 200]);
});

test('a failure says what Hub says', async (t) => {
  const refused = await failure(person(t).todos.page({ list: /** @type {any} */ ('nope') }));
  assert.ok(refused instanceof HubError);
  assert.equal(refused.status, 400);
  assert.equal(refused.code, '-1');
  assert.match(refused.message, /list/);
  assert.match(String(refused.requestId), /\w{8}/);
  assert.equal(refused.temporary, false);
  assert.equal((await failure(person(t).articles.get('x/y'))).status, 404);
});

test('what fails for a moment is repeated, and tells when it goes on', async (t) => {
  const amy = person(t, 'amy', { url: proxy.url });
  await amy.me();
  proxy.away = true;
  proxy.cut();
  const error = await failure(amy.me({ retries: 0 }));
  assert.equal(error.status, 502);
  assert.equal(error.temporary, true);
  const answer = amy.me({ retries: 20 });
  const before = proxy.connections;
  while (proxy.connections === before) await new Promise((go) => setTimeout(go, 5));
  proxy.away = false;
  assert.equal((await answer).username, 'amy');
});

test('without an answer there is an error in time, and no status', async (t) => {
  const nobody = person(t, 'amy', { url: 'http://127.0.0.1:9', retries: 0 });
  assert.equal((await failure(nobody.me())).status, 0);
  const deaf = createServer(() => {}).listen(0, '127.0.0.1');
  t.after(() => deaf.close());
  await once(deaf, 'listening');
  const amy = person(t, 'amy', { url: `http://127.0.0.1:${/** @type {any} */ (deaf.address()).port}`, retries: 0 });
  const late = await failure(amy.me({ timeout: 100 }));
  assert.equal(late.status, 0);
  assert.match(late.message, /100 ms/);
});

test('a call ends with its signal, and with the client', async (t) => {
  const amy = person(t);
  const reason = new Error('enough');
  assert.equal(await failure(amy.me({ signal: AbortSignal.abort(reason) })), reason);
  const leaving = new AbortController();
  const walk = failure((async () => {
    for await (const _ of amy.todos.each({ size: 1, signal: leaving.signal })) leaving.abort(reason);
  })());
  assert.equal(await walk, reason);
  const under = failure(amy.me());
  amy.close();
  assert.equal((await under).name, 'AbortError');
  assert.equal((await failure(amy.me())).name, 'AbortError');
});

test('a token that is refused is renewed once, for all calls together', async (t) => {
  /** @type {boolean[]} */
  const asked = [];
  let current = 'old';
  let ends = 0;
  const amy = person(t, 'amy', {
    onSessionEnd: () => ends++,
    token: async (/** @type {{renew: boolean}} */ { renew }) => {
      asked.push(renew);
      if (renew) current = tokens.amy;
      return current;
    },
  });
  const all = await Promise.all([amy.me(), amy.me(), amy.counts()]);
  assert.equal(all[0].username, 'amy');
  assert.equal(asked.filter(Boolean).length, 1);
  assert.equal(ends, 0);
});

test('the end of a session is told once, and again after another login', async (t) => {
  /** @type {HubError[]} */
  const ends = [];
  let send = await hub.session('ben');
  const ben = person(t, 'ben', {
    token: undefined, onSessionEnd: (/** @type {HubError} */ error) => ends.push(error),
    fetch: (/** @type {string} */ input, /** @type {RequestInit} */ init) => send(input, init),
  });
  await send(`${hub.url}/portal/logout`, { method: 'POST' });
  const failures = await Promise.all([failure(ben.me()), failure(ben.counts())]);
  assert.deepEqual(failures.map(({ status }) => status), [401, 401]);
  assert.equal(ends.length, 1);
  assert.equal(ends[0].status, 401);
  send = await hub.session('ben');
  await ben.me();
  await send(`${hub.url}/portal/logout`, { method: 'POST' });
  await failure(ben.me());
  assert.equal(ends.length, 2);
});

test('a page that logs out is not told so', async (t) => {
  let ends = 0;
  const ben = person(t, 'ben', { token: undefined, onSessionEnd: () => ends++, fetch: await hub.session('ben') });
  const live = ben.live();
  assert.ok('logoutUrl' in (await ben.logout()));
  assert.equal(live.state.phase, 'ended');
  assert.equal((await failure(ben.me())).status, 401);
  assert.equal(ends, 0);
});
