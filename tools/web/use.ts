// What somebody writes who has the package of the client from npm: check.sh compiles it with the types in the
// package, and runs it.
import { Hub, HubError, type Live, type Store } from "hub-client";
import type { Counts, Todo } from "hub-client";

const hub = new Hub({ url: "http://127.0.0.1:1", token: async ({ renew }) => (renew ? "new" : "old"), retries: 0 });
const titles = async (): Promise<string[]> => {
  const all: string[] = [];
  for await (const todo of hub.todos.each({ list: "toHandle" })) all.push(((t: Todo): string => t.title)(todo));
  return all;
};
const live: Live = hub.live({ topics: ["inbox"] });
const badge: Store<Counts> = live.counts({ lists: ["unread"] });
badge.subscribe(({ value, error }) => void [value?.unread?.toFixed(), error?.message]);
live.on("message", ({ id, ts }) => void [id?.length, ts.toFixed()]);

try {
  await titles();
  throw new Error("nobody listens there");
} catch (error) {
  if (!(error instanceof HubError) || error.status !== 0 || !error.temporary) throw error;
}
hub.close();
