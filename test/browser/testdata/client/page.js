// A page that shows a badge and keeps what it hears, for the test to ask.
import { Hub } from './client/index.js';

if (location.search === '?nolocks') Object.defineProperty(navigator, 'locks', { value: undefined });

const heard = [];
const faults = [];
let over = 0;
let known = false;
addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
addEventListener('error', ({ message }) => faults.push(message));

const hub = new Hub({ onSessionEnd: () => over++, fetch: async (input, init) => {
  const answer = await fetch(input, init);
  if (String(input).endsWith('/portal/me')) known = true;
  return answer;
} });
const live = hub.live();
for (const type of ['message', 'read', 'todo']) live.on(type, ({ id }) => heard.push(`${type} ${id}`));
live.counts().subscribe(({ value }) => {
  document.querySelector('#unread').textContent = value?.unread ?? '';
});

globalThis.page = {
  hub, live, heard, faults,
  get over() { return over; },
  // Whether the client has seen whose session it is.
  get known() { return known; },
  // Tells the page that it is seen or not, as the browser does for tabs behind others.
  show(visible) {
    Object.defineProperty(document, 'visibilityState', { value: visible ? 'visible' : 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  },
};
