import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Hub } from 'hub-client';
import { Caller } from '../call.js';
import { Stream } from '../stream.js';
import { startHub, until } from './hub.js';
import { startProxy } from './proxy.js';

/** @typedef {import('../types.js').HubEvent} HubEvent */

/** @type {Awaited<ReturnType<typeof startHub>>} */
let hub;
/** @type {Record<string, string>} */
const tokens = {};
before(async () => {
  hub = await startHub();
  for (const name of ['amy', 'ben', 'carla']) tokens[name] = await hub.userToken(name);
});
after(() => hub.end());

/** What a person hears behind a proxy of her own. */
async function listener(/** @type {import('node:test').TestContext} */ t, name = 'amy', options = {}, live = {}) {
  const proxy = await startProxy(hub.address);
  /** @type {HubEvent[]} */
  const events = [];
  /** @type {import('../types.js').LiveState[]} */
  const states = [];
  const client = new Hub({ url: proxy.url, token: () => tokens[name], ...options });
  const it = client.live(live);
  for (const type of /** @type {const} */ (['message', 'read', 'todo'])) it.on(type, (event) => events.push(event));
  it.on('state', (state) => states.push(state));
  t.after(async () => {
    client.close();
    await proxy.end();
  });
  await until(() => it.state.phase === 'open', 'the stream is open');
  const ids = (/** @type {string} */ type) => events.filter((event) => event.type === type).map(({ id }) => id);
  return { proxy, client, live: it, events, states, ids };
}

/** The ids of a person's newest messages, as their events have them. */
const inbox = async (/** @type {Hub} */ client) => (await client.messages.page({ size: 200 })).items.map(({ id }) => id);

describe('a stream', { concurrency: true }, () => {
  test('tells of messages, reads and todos, and goes on where it was cut in the middle of an event', async (t) => {
    const { proxy, client, live, ids } = await listener(t, 'amy');
    // An id that no header can carry, and which is the last one that is heard.
    const odd = await hub.push('amy', '发票/7');
    await until(() => ids('message').length === 1);
    await client.messages.read(odd);
    await until(() => ids('read').includes(odd));
    proxy.cutIn = 'event: message';
    await hub.push('amy');
    for (let n = 0; n < 20; n++) await hub.push('amy');
    const all = await inbox(client);
    await until(() => all.every((id) => ids('message').includes(id)), 'every message is told');
    assert.equal(live.state.phase, 'open');
    assert.ok(ids('todo').includes(null), 'any todo may have changed meanwhile');
    const todo = await hub.todo('amy');
    await until(() => ids('todo').includes(todo));
  });

  test('that is silent is opened anew, and misses nothing', async (t) => {
    const { proxy, live, ids, states } = await listener(t, 'ben', {}, { silence: 1000 });
    const first = await hub.push('ben');
    await until(() => ids('message').length === 1, 'the first message is told');
    proxy.silent = true;
    await hub.push('ben');
    await until(() => ids('message').length > 1, 'the second message is told');
    assert.ok(states.some(({ phase }) => phase === 'waiting'));
    assert.equal(live.state.phase, 'open');
    assert.ok(first);
  });

  test('waits while a proxy answers 502, says why, and is open again by itself', async (t) => {
    const { proxy, client, live, states, ids } = await listener(t, 'carla');
    await hub.push('carla');
    await until(() => ids('message').length === 1);
    const badge = live.counts();
    await until(() => badge.snapshot.value?.unread !== undefined, 'the badge is there');
    proxy.away = true;
    proxy.cut();
    await until(() => states.some(({ phase, error }) => phase === 'waiting' && error?.status === 502), 'it waits for the proxy');
    await badge.refresh();
    assert.equal(/** @type {any} */ (badge.snapshot.error)?.status, 502);
    assert.notEqual(badge.snapshot.value, null);
    await hub.push('carla');
    proxy.away = false;
    const all = await inbox(client);
    await until(() => all.every((id) => ids('message').includes(id)), 'every message is told');
    await until(() => badge.snapshot.error === null && badge.snapshot.value?.unread === all.length, 'the badge is right');
  });
});

test('a stream that waits after many failures comes back soon when it is woken', async (t) => {
  const proxy = await startProxy(hub.address);
  t.after(() => proxy.end());
  proxy.away = true;
  let chance = 0;
  t.mock.method(Math, 'random', () => chance);
  let waits = 0;
  let phase = '';
  const leaving = new AbortController();
  const caller = new Caller({ url: proxy.url, token: () => tokens.amy });
  const stream = new Stream(caller, {
    topics: ['todo'], silence: 45_000, lastId: null, heard: () => {},
    told: (now) => {
      phase = now;
      if (now === 'waiting' && ++waits === 10) chance = 0.99; // of a minute
    },
  });
  const running = stream.run(leaving.signal);
  await until(() => waits === 10);
  proxy.away = false;
  const begun = Date.now();
  stream.wake(false);
  await until(() => phase === 'open');
  assert.ok(Date.now() - begun < 25_000);
  leaving.abort();
  await running;
});

describe('a store', () => {
  test('fetches few times for many changes, one at a time, and ends with what Hub has', async (t) => {
    let under = 0;
    let most = 0;
    let fetches = 0;
    /** @type {typeof fetch} */
    const slow = async (input, init) => {
      if (!String(input).includes('/counts')) return fetch(input, init);
      fetches++;
      most = Math.max(most, ++under);
      const answer = await fetch(input, init);
      // An answer that is old when it comes.
      await new Promise((done) => setTimeout(done, fetches % 2 * 300));
      under--;
      return answer;
    };
    const { live, client } = await listener(t, 'amy', { fetch: slow });
    const begin = Number((await client.counts()).unread);
    /** @type {number[]} */
    const shown = [];
    const badge = live.counts();
    badge.subscribe(({ value }) => { if (value) shown.push(Number(value.unread)); });
    fetches = 0;
    for (let n = 0; n < 100; n++) await hub.push('amy');
    await until(() => badge.snapshot.value?.unread === begin + 100, 'the badge is right');
    assert.equal(most, 1);
    assert.ok(fetches < 20, `${fetches} fetches`);
    assert.deepEqual(shown, shown.toSorted((a, b) => a - b), 'no older answer comes behind a newer one');
  });

  test('has what a refresh found, after the call', async (t) => {
    const { live } = await listener(t, 'ben', {}, { topics: ['todo'] });
    const badge = live.counts({ on: [] });
    const before = Number((await badge.refresh()).value?.unread);
    const refreshes = [badge.refresh()];
    await hub.push('ben');
    refreshes.push(badge.refresh());
    assert.equal((await refreshes[1]).value?.unread, before + 1);
    badge.close();
    assert.equal((await badge.refresh()).value?.unread, before + 1);
  });

  test('goes on after a listener that fails', async (t) => {
    t.mock.method(console, 'error', () => {});
    const { live } = await listener(t, 'carla');
    const badge = live.counts();
    let told = 0;
    badge.subscribe(() => { throw new Error('a fault of the page'); });
    badge.subscribe(async () => { throw new Error('another'); });
    badge.subscribe(() => told++);
    await badge.refresh();
    assert.ok(told > 1);
  });
});

describe('the end', () => {
  test('of a session is told once, and ends the stream', async (t) => {
    const send = await hub.session('ben');
    let ends = 0;
    const client = new Hub({ url: hub.url, fetch: send, onSessionEnd: () => ends++ });
    t.after(() => client.close());
    const live = client.live();
    const badge = live.counts();
    await until(() => live.state.phase === 'open');
    await send(`${hub.url}/portal/logout`, { method: 'POST' });
    await until(() => live.state.phase === 'ended');
    assert.equal(live.state.error?.status, 401);
    await badge.refresh();
    assert.equal(ends, 1);
  });

  test('of a stream that Hub refuses for good says why', async (t) => {
    const client = new Hub({ url: hub.url, token: () => tokens.ben });
    t.after(() => client.close());
    const live = client.live({ topics: /** @type {any} */ (['nope']) });
    await until(() => live.state.phase === 'ended');
    assert.equal(live.state.error?.status, 400);
  });

  test('of Hub itself is not that of the stream', async (t) => {
    const own = await startHub();
    t.after(() => own.end());
    const token = await own.userToken('amy');
    const client = new Hub({ url: own.url, fetch: await own.session('amy') });
    t.after(() => client.close());
    assert.ok(token);
    const live = client.live();
    const badge = live.counts();
    await own.push('amy');
    await until(() => badge.snapshot.value?.unread === 1);
    await own.stop('SIGKILL');
    await until(() => live.state.phase === 'waiting');
    await own.start();
    await own.push('amy');
    await until(() => badge.snapshot.value?.unread === 2, 'the badge is right');
    assert.equal(badge.snapshot.error, null);
  });

  test('of the client leaves nothing behind', async (t) => {
    const program = `
      import { Hub } from 'hub-client';
      const hub = new Hub({ url: ${JSON.stringify(hub.url)}, token: () => ${JSON.stringify(tokens.carla)} });
      const away = new Hub({ url: 'http://127.0.0.1:9', token: () => 'none' });
      const live = hub.live({ tabs: 'carla' });
      const badges = [live.counts(), away.live().counts()];
      if (live.state.phase !== 'open') await new Promise((done) => live.on('open', done));
      hub.me().catch(() => {});
      await new Promise((done) => badges[0].subscribe(({ value }) => value && done()));
      await new Promise((done) => badges[1].subscribe(({ error }) => error && done()));
      hub.me().catch(() => {});
      hub.close();
      away.close();
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--unhandled-rejections=strict', '-e', program], {
      cwd: new URL('.', import.meta.url), stdio: ['ignore', 'inherit', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (piece) => { said += piece; });
    t.after(() => child.kill());
    // Far sooner than the next fetch of a badge that nobody has closed.
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
    assert.equal(said, '');
    assert.equal(code, 0);
    await until(async () => (await hub.metric('hub_edge_streams ')) === 0, 'no stream is left');
  });
});
