"use strict";

const byId = (id) => document.getElementById(id);
// Several pages of one browser share one stream: the server keeps one for each user.
const pages = new BroadcastChannel("hub");

function show(state, text) {
  byId("state").className = "state " + state;
  byId("state").textContent = text;
}

function tell(message) {
  pages.postMessage(message);
  pages.onmessage({ data: message });
}

pages.onmessage = ({ data }) => {
  if (left) return;
  if (data === "changed") count();
  if (data === "live") show("live", "Live");
  if (data === "away") show("away", "Connecting again");
  if (data === "logged out") leave();
};

// A page that the browser keeps for its back button leaves the stream to the others, and begins anew when
// it is shown again.
const aside = new AbortController();
addEventListener("pagehide", () => aside.abort());
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

let stream = null;
let left = false;
let counting = false;
let changed = false;

// count asks for the number again when it has changed meanwhile.
async function count() {
  changed = true;
  if (counting || left) return;
  counting = true;
  while (changed) {
    changed = false;
    try {
      const response = await fetch("/message-hub/unread-count");
      if (response.status === 401) return login();
      if (response.ok && !left) byId("unread").textContent = (await response.json()).data;
    } catch {
      // The stream tells when the server is back.
    }
  }
  counting = false;
}

function login() {
  location.assign("/portal/login?returnTo=" + encodeURIComponent(location.pathname + location.search));
}

function listen() {
  if (left || aside.signal.aborted) return;
  stream = new EventSource("/message-hub/stream");
  stream.onopen = () => { tell("live"); tell("changed"); };
  for (const type of ["message", "read"]) stream.addEventListener(type, () => tell("changed"));
  stream.onerror = () => {
    tell("away");
    // A browser gives up on an answer that is no stream: the session is over, or the server is away.
    if (stream.readyState === EventSource.CLOSED) {
      setTimeout(() => { count(); listen(); }, 3000);
    }
  };
}

function leave() {
  if (left) return;
  left = true;
  if (stream) stream.close();
  const main = document.querySelector("main");
  const heading = document.createElement("h1");
  heading.textContent = "You are logged out";
  const link = document.createElement("a");
  link.href = "/portal/";
  link.textContent = "Log in again";
  main.replaceChildren(heading, link);
  byId("who").textContent = "";
  byId("logout").remove();
}

byId("logout").addEventListener("click", async ({ target }) => {
  target.disabled = true;
  try {
    const response = await fetch("/portal/logout", { method: "POST" });
    if (!response.ok && response.status !== 401) throw new Error(response.status);
    const { data } = await response.json();
    tell("logged out");
    if (data && data.logoutUrl) location.assign(data.logoutUrl);
  } catch {
    target.disabled = false;
    show("away", "The logout did not work, try it again");
  }
});

count();
navigator.locks.request("hub-stream", { signal: aside.signal }, () => new Promise((give) => {
  aside.signal.addEventListener("abort", () => { stream.close(); give(); });
  listen();
})).catch(() => {}); // put aside while it waited
