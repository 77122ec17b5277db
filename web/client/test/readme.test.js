import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { startHub, until } from './hub.js';

/** @type {Awaited<ReturnType<typeof startHub>>} */
let hub;
/** @type {string} */
let folder;
before(async () => {
  hub = await startHub();
  // Beside the package, so that its name leads to it.
  folder = await mkdtemp(new URL('readme-', import.meta.url).pathname);
});
after(async () => {
  await rm(folder, { recursive: true });
  await hub.end();
});

/** The blocks of the page, in order. */
const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const [session, bearer, show, fails, live, ...more] = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);

/**
 * Runs blocks of the page as one module, which gives what it has to the test.
 *
 * @param {string} code
 * @param {string} given names of things that the page of a reader has
 */
async function run(code, given, things = {}) {
  const path = `${folder}/${Object.keys(globalThis).length}-${Math.random().toString(36).slice(2)}.js`;
  /** @type {any} */ (globalThis).things = things;
  const names = [...code.matchAll(/^const (?:(\w+)|\{ ([\w, ]+) \}) =/gm)].map(([, one, some]) => one ?? some);
  await writeFile(path, `const { ${given} } = globalThis.things;\n${code}\nexport { ${names.join(', ')} };\n`);
  return import(path);
}

test('the page has no other blocks', () => assert.equal(more.length, 0));

test('it begins with a session', async () => {
  const { hub: client } = await run(session.replace('new Hub({', `new Hub({ url: '${hub.url}',`), 'location', { location: { pathname: '/portal/my/' } });
  assert.equal(client.loginUrl('/portal/my/'), `${hub.url}/portal/login?returnTo=%2Fportal%2Fmy%2F`);
  client.close();
});

test('it begins with a token, and shows what is hers', async (t) => {
  /** @type {string[]} */
  const said = [];
  t.mock.method(console, 'log', (/** @type {string[]} */ ...words) => said.push(words.join(' ')));
  const token = await hub.userToken('amy');
  await hub.todo('amy');
  await hub.push('amy');
  await hub.push('amy');
  /** @type {any} */
  const shown = {};
  const begin = `import { Hub } from 'hub-client';\n${bearer}`;
  const all = await run(begin + show + fails + live, 'url, newToken, lastToken, show, list', {
    url: hub.url, newToken: () => token, lastToken: () => 'an old one',
    show: (/** @type {unknown} */ unread, /** @type {{old: boolean}} */ { old }) => Object.assign(shown, { unread, old }),
    list: (/** @type {unknown[]} */ items) => Object.assign(shown, { items }),
  });
  t.after(() => all.hub.close());
  assert.equal(all.username, 'amy');
  assert.equal(all.page.items.length, 2);
  assert.ok(said[0].startsWith('Approve'), said[0]);
  await until(() => all.live.state.phase === 'open' && shown.unread === 0 && shown.old === false);
  await hub.push('amy');
  await until(() => shown.unread === 1 && shown.items.length === 3 && said.some((line) => line.startsWith('new ')));
  assert.match(said.join('\n'), /none|article|path/);
});
