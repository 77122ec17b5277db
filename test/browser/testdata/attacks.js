// attack tries, as a page of any origin, what a page can do to the person who has it open: it gives the name
// of each attempt and what came of it. message is the id of an unread message of hers.
async function attack(hub, message) {
  const stream = hub + '/message-hub/stream';
  const me = hub + '/portal/me';
  const read = `${hub}/message-hub/messages/${encodeURIComponent(message)}/read`;
  const logout = hub + '/portal/logout';
  const include = { credentials: 'include' };
  const opaque = { credentials: 'include', mode: 'no-cors' };
  const text = { 'Content-Type': 'text/plain' };
  const json = { 'Content-Type': 'application/json' };

  const settled = (promise) => promise.then((answer) => answer.type === 'opaque' ? 'opaque' : String(answer.status), (failure) => failure.name);
  const source = (options) => new Promise((done) => {
    const events = new EventSource(stream, options);
    events.onopen = () => { events.close(); done('open'); };
    events.onerror = () => { events.close(); done('error'); };
  });
  const socket = (address) => new Promise((done) => {
    const ws = new WebSocket(address.replace(/^http/, 'ws'));
    ws.onopen = () => { ws.close(); done('open'); };
    ws.onerror = () => done('error');
  });
  const element = (name, attributes) => new Promise((done) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.onload = () => done('loaded');
    made.onerror = () => done('error');
    (document.body || document.documentElement).append(made);
  });
  let forms = 0;
  const form = (action, type) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.name = 'form' + forms++;
    const made = Object.assign(document.createElement('form'), { action, method: 'post', target: frame.name, enctype: type });
    (document.body || document.documentElement).append(frame, made);
    frame.onload = () => done('loaded');
    made.submit();
  });
  const other = () => {
    const opened = window.open(hub + '/portal/style.css');
    return new Promise((done) => {
      const look = () => {
        try {
          // A new window is at about:blank, of the opener's origin, until the other page is there.
          if (opened.location.href === 'about:blank') return setTimeout(look, 20);
          done('read');
        } catch (failure) {
          done(failure.name);
        }
        opened.close();
      };
      look();
    });
  };

  const attempts = [
    ['event source', () => source()],
    ['event source with credentials', () => source({ withCredentials: true })],
    ['fetch of what is hers', () => fetch(me, include).then((answer) => answer.json()).then((answer) => answer.data.username).catch((failure) => failure.name)],
    ['fetch with a header', () => settled(fetch(me, { ...include, headers: { 'X-Hub': '1' } }))],
    ['fetch of her todos', () => settled(fetch(hub + '/todo-hub/todos', include))],
    ['fetch without CORS', () => settled(fetch(me, opaque))],
    ['script', () => element('script', { src: me })],
    ['image', () => element('img', { src: me })],
    ['frame', () => element('iframe', { src: hub + '/portal/' })],
    ['window', other],
    ['socket', () => socket(hub + '/message-hub/ws')],
    ['socket to the stream', () => socket(stream)],
    ['post of JSON', () => settled(fetch(read, { ...include, method: 'POST', headers: json, body: '{}' }))],
    ['post of text', () => settled(fetch(read, { ...include, method: 'POST', headers: text, body: '{}' }))],
    ['post without CORS', () => settled(fetch(read, { ...opaque, method: 'POST', headers: text, body: '{}' }))],
    ['post of a form', () => form(read, 'text/plain')],
    ['beacon', async () => navigator.sendBeacon(read, 'x') ? 'sent' : 'not sent'],
    ['logout without CORS', () => settled(fetch(logout, { ...opaque, method: 'POST' }))],
    ['logout by a form', () => form(logout, 'application/x-www-form-urlencoded')],
  ];
  const results = {};
  for (const [name, attempt] of attempts) {
    const late = new Promise((done) => setTimeout(done, 5000, 'late'));
    results[name] = await Promise.race([attempt(), late]);
  }
  return results;
}
