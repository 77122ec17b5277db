// A real Hub with its demo people, and those who use it.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const binary = process.env.HUB_BINARY ?? new URL('../../../bin/hub', import.meta.url).pathname;

/** An address of loopback that nobody listens on. */
export async function freeAddress() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((done) => server.close(done));
  return `127.0.0.1:${port}`;
}

/** Waits until something holds, for half a minute at most. */
export async function until(/** @type {() => unknown} */ holds, what = holds.toString()) {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never holds that ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/**
 * Starts a Hub. Its data outlives a stop, and is removed by end.
 *
 * @param {Record<string, string>} [settings]
 */
export async function startHub(settings = {}) {
  const address = await freeAddress();
  const admin = await freeAddress();
  const data = await mkdtemp(join(tmpdir(), 'hub-client-'));
  const environ = {
    ...process.env, HUB_HTTP_ADDR: address, HUB_GRPC_ADDR: await freeAddress(), HUB_ADMIN_ADDR: admin, HUB_DATA_DIR: data,
    HUB_HEARTBEAT_INTERVAL: '200ms', HUB_LOG_LEVEL: 'error', HUB_DEMO_DATA: 'false', ...settings,
  };
  const url = settings.HUB_PUBLIC_URL ?? `http://${address}`;
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  const hub = {
    /** Where it is. */
    direct: `http://${address}`,
    /** Where browsers find it. */
    url,
    address,
    token: '',
    async start() {
      child = spawn(binary, { env: environ, stdio: ['ignore', 'ignore', 'inherit'] });
      await until(() => fetch(`${this.direct}/openapi.yaml`).then((r) => r.ok, () => false), 'Hub answers');
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'erp', client_secret: 'erp-secret', scope: 'client' });
      this.token = (await (await fetch(`${this.direct}/api/login/oauth/token`, { method: 'POST', body: form })).json()).access_token;
    },
    /** @param {NodeJS.Signals} [signal] */
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill(signal);
      await ended;
    },
    async end() {
      await this.stop('SIGKILL'); // nobody needs its data
      await rm(data, { recursive: true, force: true });
    },
    /** A call of the client erp. */
    async call(/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body = undefined) {
      const response = await fetch(this.direct + path, {
        method, headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text).data;
    },
    /** Sends a person a message, and gives its sourceMessageId. */
    async push(/** @type {string} */ user, sourceMessageId = randomUUID(), title = 'Hello') {
      await this.call('POST', '/message-hub/messages', { sourceMessageId, targetUsernames: [user], title, content: 'From a business system.' });
      return sourceMessageId;
    },
    /** Gives a person a todo, and gives its id. */
    async todo(/** @type {string} */ user, todoId = randomUUID()) {
      await this.call('POST', '/todo-hub/todos', {
        todoId, type: 'HANDLE', sourceBizId: todoId, assigneeUsername: user, title: 'Approve', category: 'order', actionUrl: `/${todoId}`,
      });
      return todoId;
    },
    /** The value of a metric, over all labels. */
    async metric(/** @type {string} */ name) {
      const text = await (await fetch(`http://${admin}/metrics`)).text();
      return text.split('\n').filter((line) => line.startsWith(name)).reduce((sum, line) => sum + Number(line.split(' ').pop()), 0);
    },
    /** An access token of a demo person, of the demo provider. */
    async userToken(/** @type {string} */ user) {
      const verifier = 'v'.repeat(64);
      const redirect = `${this.url}/portal/callback`;
      const code = await choose(this.direct, `${this.direct}/demo/oidc/authorize?${new URLSearchParams({
        response_type: 'code', client_id: 'hub-portal', redirect_uri: redirect, scope: 'openid profile',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
      })}`, user);
      const answer = await fetch(`${this.direct}/demo/oidc/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code', client_id: 'hub-portal', redirect_uri: redirect,
          code: /** @type {string} */ (code.searchParams.get('code')), code_verifier: verifier,
        }),
      });
      return (await answer.json()).access_token;
    },
    /** A fetch with the session of a demo person, as her browser would send it. */
    async session(/** @type {string} */ user) {
      const login = await fetch(`${this.direct}/portal/login`, { redirect: 'manual' });
      const back = await choose(this.direct, /** @type {string} */ (login.headers.get('Location')), user);
      const callback = await fetch(this.direct + back.pathname + back.search, { headers: { Cookie: cookies(login) } });
      let cookie = cookies(callback);
      /** @type {typeof fetch} */
      const send = async (input, init) => {
        const headers = { .../** @type {Record<string, string>} */ (init?.headers), Cookie: cookie, Origin: new URL(url).origin };
        const response = await fetch(input, { ...init, headers });
        cookie = cookies(response) || cookie;
        return response;
      };
      return send;
    },
  };
  await hub.start();
  return hub;
}

/** The cookies of an answer, as they are sent back. */
function cookies(/** @type {Response} */ response) {
  return response.headers.getSetCookie().map((line) => line.split(';')[0]).filter((pair) => pair.startsWith('hub-')).join('; ');
}

/** Chooses a person at the demo provider, and gives where that leads. */
async function choose(/** @type {string} */ base, /** @type {string} */ address, /** @type {string} */ user) {
  const asked = new URL(address);
  const answer = await fetch(`${base}${asked.pathname}${asked.search}&user=${user}`, { redirect: 'manual' });
  return new URL(/** @type {string} */ (answer.headers.get('Location')));
}
