// Stands between a client and Hub, and does what networks and proxies do.
import { connect, createServer } from 'node:net';

const badGateway = 'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 13\r\nConnection: close\r\n\r\n<h1>502</h1>\n';

/** @param {string} address of Hub */
export async function startProxy(address) {
  const [host, port] = address.split(':');
  /** @type {Set<import('node:net').Socket>} */
  const open = new Set();
  const proxy = {
    url: '',
    /** How many connections there were. */
    connections: 0,
    /** Answers 502 to everybody, as long as it is set. */
    away: false,
    /** Passes nothing on to clients that are there already, and says nothing of it. */
    silent: false,
    /** Cuts every connection in the middle of the next piece with this text. */
    cutIn: '',
    /** Cuts all connections. */
    cut() {
      for (const socket of open) socket.destroy();
    },
    async end() {
      this.cut();
      await new Promise((done) => server.close(done));
    },
  };
  const server = createServer((client) => {
    proxy.connections++;
    open.add(client);
    client.on('error', () => {});
    client.on('close', () => open.delete(client));
    if (proxy.away) {
      client.once('data', () => client.end(badGateway));
      return;
    }
    const silenced = proxy.silent;
    const hub = connect(Number(port), host);
    hub.on('error', () => client.destroy());
    hub.on('close', () => client.destroy());
    client.on('close', () => hub.destroy());
    client.on('data', (piece) => hub.write(piece));
    hub.on('data', (piece) => {
      if (proxy.silent && !silenced) return;
      const at = proxy.cutIn ? piece.indexOf(proxy.cutIn) : -1;
      if (at < 0) return client.write(piece);
      proxy.cutIn = '';
      client.write(piece.subarray(0, at + 3), () => client.destroy());
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  proxy.url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  return proxy;
}
