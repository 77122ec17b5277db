// The calls of a portal that has generated its types from the OpenAPI document: check.sh puts this file beside
// the generated one and runs it against a Hub.
import type { components, operations } from "./client";

type Schema = components["schemas"];
type Answer<O extends keyof operations> = operations[O] extends {
  responses: { 200: { content: { "application/json": infer A } } };
} ? A : never;

declare const process: { argv: string[]; exit(code: number): never };

const base: string = process.argv[2]!;
let token = "";

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(base + path, {
    method,
    headers: { Authorization: "Bearer " + token, "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function call<O extends keyof operations>(method: string, path: string, body?: unknown): Promise<Answer<O>> {
  const response = await send(method, path, body);
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer<O>;
}

function want(what: string, got: unknown, wanted: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(wanted)}`);
}

async function main(): Promise<void> {
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "portal", client_secret: "portal-secret", scope: "client" });
  const issued: Schema["Token"] = await (await fetch(base + "/api/login/oauth/token", { method: "POST", body: form })).json();
  token = issued.access_token;

  const item = (todoId: string, sourceVersion: number): Schema["UpsertTodo"] => ({
    todoId, sourceVersion, type: "HANDLE", sourceBizId: todoId, assigneeUserId: "tess", title: "Approve", category: "order",
    actionUrl: "/" + todoId, payload: { n: [1] },
  });
  const items: Schema["UpsertTodos"] = { items: [item("ts-1", 2), item("ts-2", 2), item("ts-1", 1)] };
  const batch = await call<"upsertTodos">("POST", "/todo-hub/todos/batch", items);
  want("stored, stale, failed", [batch.data.stored, batch.data.stale, batch.data.failed], [2, 1, 0]);

  const ids: string[] = [];
  let payload: unknown;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Answer<"listTodos"> = await call<"listTodos">(
      "GET", `/todo-hub/todos?assigneeUsername=tess&view=full&sort=id&size=1&cursor=${encodeURIComponent(cursor)}`);
    for (const todo of page.data) {
      ids.push(todo.id);
      payload = todo.payload;
    }
    cursor = "nextCursor" in page.page ? page.page.nextCursor : null;
  }
  want("the walk", ids, ["ts-1", "ts-2"]);
  want("the payload", payload, { n: [1] });

  const counts = "/counts?username=tess&lists=toHandle,unread";
  const counted = await send("GET", counts);
  want("the counts", ((await counted.json()) as Schema["CountsEnvelope"]).data, { toHandle: 2, unread: 0 });
  want("the same counts", (await send("GET", counts, undefined, { "If-None-Match": counted.headers.get("ETag")! })).status, 304);

  const clock = (r: Response): number => Date.parse(r.headers.get("Date")!);
  let asOf = 0;
  for (const begin = clock(counted); asOf < begin + 2000; ) asOf = clock(await send("GET", counts));
  const request: Schema["ReconcileTodos"] = {
    asOf: new Date(asOf).toISOString(), action: "invalidate", from: "ts-", to: "ts-9", open: [{ todoId: "ts-2" }],
  };
  const gone = await call<"reconcileTodos">("POST", "/todo-hub/todos/reconcile", request);
  want("closed", gone.data.closedIds, ["ts-1"]);

  const message: Schema["PushMessage"] = { sourceMessageId: "ts-1", targetUserIds: ["tess"], title: "Hello", content: "Hello" };
  await call<"pushMessage">("POST", "/message-hub/messages", message);
  const inbox = await call<"listInbox">("GET", "/message-hub/inbox?username=tess&cursor=");
  if (!("watermark" in inbox.page) || inbox.page.watermark === null) throw new Error("no watermark");
  const readAll: Schema["ReadAll"] = { username: "tess", upTo: inbox.page.watermark };
  want("switched", (await call<"markAllRead">("POST", "/message-hub/inbox/read-all", readAll)).data.switched, 1);

  want("an administrator's call", (await send("GET", "/admin/todo-hub/todos?cursor=")).status, 403);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
