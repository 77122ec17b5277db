import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from 'hub-client';

test('a store does not wait for the end of changes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => 0.5);
  let change = () => {};
  let fetches = 0;
  const stage = { on: (/** @type {string} */ type, /** @type {() => void} */ listener) => ((change = listener), () => {}), closed: new AbortController().signal };
  const store = new Store(/** @type {any} */ (stage), async () => ++fetches);
  await store.refresh();
  for (let n = 0; n < 10; n++) {
    change();
    t.mock.timers.tick(100);
    await new Promise(setImmediate);
  }
  assert.equal(fetches, 5); // two at first, and then after 250 ms, which is each third tick
  store.close();
});

test('a store fetches one at a time, also when a listener refreshes it', async () => {
  const stage = { on: () => () => {}, closed: new AbortController().signal };
  let under = 0;
  let most = 0;
  let fetches = 0;
  const store = new Store(/** @type {any} */ (stage), async () => {
    most = Math.max(most, ++under);
    await new Promise((done) => setTimeout(done, 20));
    under--;
    return ++fetches;
  }, { every: 1 });
  const ended = new Promise((done) => {
    store.subscribe(({ value }) => {
      if (value !== null && value < 5) store.refresh();
      if (value === 10) done(undefined);
    });
  });
  await ended;
  store.close();
  assert.equal(most, 1);
});
