package hubctl

import (
	"encoding/json"
	"strings"
	"testing"
)

// call is a call and what it must come to. In out and errs … stands for anything within a line; an empty
// errs means that nothing is said.
type call struct {
	args  []string
	stdin string
	code  int
	out   string
	errs  string
}

func check(t *testing.T, c caller, calls []call) {
	t.Helper()
	for _, want := range calls {
		got := c.run(want.stdin, want.args...)
		if got.code != want.code || !matches(got.out, want.out) || !matches(got.errs, want.errs) {
			t.Errorf("hubctl %q: %s\nwant exit %d\n%s%s", want.args, got, want.code, want.out, want.errs)
		}
	}
}

// words are the arguments of a call; in one _ stands for a blank and | for a line break.
func words(line string) []string {
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.NewReplacer("_", " ", "|", "\n").Replace(args[i])
	}
	return args
}

const approved = `todo        po-1
status      CLEARED
type        HANDLE
assignee    ctl-alice
title       Approve order 1
summary     first line second line
category    order
source      erp, 1
url         https://erp.example/po/1
due         2031-02-03 04:05
result      approved
cleared by  ctl-alice
cleared at  20…
changed     20…
`

func TestTodos(t *testing.T) {
	c := newCaller(t, hubURL)
	check(t, c, []call{
		{
			args: words("todo upsert --id po-1 --type handle --biz-id 1 --assignee ctl-alice --title Approve_order_1 --category order " +
				"--url https://erp.example/po/1 --due 2031-02-03T04:05:06Z --source-version 3 --payload {\"a\":1} --summary first_line|second_line"),
			out: strings.NewReplacer("CLEARED", "OPEN", "result      approved\ncleared by  ctl-alice\ncleared at  20…\n", "",
				"changed ", "version     3\nchanged ").Replace(approved),
		},
		{
			args:  words("todo upsert -f - --assignee ctl-bob -o json"),
			stdin: `{"todoId":"po-2","type":"review","sourceBizId":"2","assigneeUsername":"x","title":"Read","category":"order","actionUrl":"/2","payload":{"b":  2}}`,
			out: `{
  "todo": {
    "id": "po-2",
    "type": "REVIEW",
⋮
    "payload": {
      "b": 2
    },
⋮
  },
  "stale": false
}
`,
		},
		{
			args: words("todo upsert --id po-1 --type handle --biz-id 1 --assignee ctl-alice --title Older --category order --url /1 --source-version 2 -o json"),
			errs: `{"note":"nothing was changed: the stored source version is newer"}` + "\n",
			out:  "{\n  \"todo\": {\n⋮\n  },\n  \"stale\": true\n}\n",
		},
		{
			args: words("todo list ctl-alice"),
			out: `ID    TYPE    STATUS  ASSIGNEE   TITLE            DUE               CHANGED
po-1  HANDLE  OPEN    ctl-alice  Approve order 1  2031-02-03 04:05  20…
`,
		},
		{args: words("todo clear po-1 --result approved --by ctl-alice"), out: approved},
		{args: words("todo list ctl-alice -o json"), out: "[]\n"},
		{
			args: words("todo list ctl-alice --status all"),
			out: `ID    TYPE    STATUS   ASSIGNEE   TITLE            DUE               CHANGED
po-1  HANDLE  CLEARED  ctl-alice  Approve order 1  2031-02-03 04:05  20…
`,
		},
		{
			args: words("todo invalidate po-1"), code: 1,
			errs: "hubctl: todo \"po-1\" is already CLEARED\n  POST /todo-hub/todos/po-1/invalidate was answered with status 409, request id …\n",
		},
		{
			args: words("todo invalidate po-2 --reason gone"),
			out:  "todo …\nstatus      INVALID\ntype …\nassignee    ctl-bob\ntitle …\ncategory …\nsource …\nurl …\nreason      gone\nchanged …\n",
		},
		{
			args: words("todo clear po-1 -o json"), code: 1,
			errs: `{"error":"result must not be empty","exitCode":1,"status":400,"requestId":"…"}` + "\n",
		},
	})
}

func TestReconcile(t *testing.T) {
	c := newCaller(t, hubURL).with("HUBCTL_CLIENT_ID=portal", "HUBCTL_CLIENT_SECRET=portal-secret")
	for _, id := range []string{"re-1", "re-2", "re-3"} {
		c.ok("todo", "upsert", "--id", id, "--type", "handle", "--biz-id", id, "--assignee", "re", "--title", id, "--category", "c", "--url", "/")
	}
	second := strings.TrimSpace(c.ok("time"))
	for strings.TrimSpace(c.ok("time")) == second { // what changed in the second of --as-of stays
	}
	now := strings.TrimSpace(c.ok("time"))
	check(t, c, []call{
		{
			args: words("todo reconcile - --as-of " + now + " --from re- --to re. --dry-run"), stdin: "re-9\nre-2\n\n",
			out: "Would close 2 todos. Of the open ones 1 are missing in Hub or finished there, and 0 have an older version: report those again.\n  re-1\n  re-3\n",
		},
		{
			args: words("todo reconcile - --as-of " + now + " --from re- --to re. --max-close 1"), stdin: "re-2\n", code: 1,
			errs: "hubctl: …\n  POST /todo-hub/todos/reconcile was answered with status 409, request id …\n",
		},
		{
			args: words("todo reconcile - --as-of " + now + " --from re- --to re. --action invalidate -o json"), stdin: `{"todoId":"re-2"}` + "\n",
			out: "{\n  \"closedIds\": [\n    \"re-1\",\n    \"re-3\"\n  ],\n  \"closed\": 2,\n  \"missing\": 0,\n  \"stale\": 0,\n  \"dryRun\": false\n}\n",
		},
		{args: words("todo reconcile -"), code: 2, errs: "hubctl: --as-of is missing: …\n  hubctl todo reconcile --help\n"},
	})
}

// TestReconcileOfMoreThanACallTakes closes what is gone behind the first 20,000 and in front of them.
func TestReconcileOfMoreThanACallTakes(t *testing.T) {
	c := newCaller(t, hubURL).with("HUBCTL_CLIENT_ID=portal", "HUBCTL_CLIENT_SECRET=portal-secret")
	var open strings.Builder
	for _, id := range []string{"sp-0", "sp-5", "sp-9"} {
		c.ok("todo", "upsert", "--id", id, "--type", "handle", "--biz-id", id, "--assignee", "sp", "--title", id, "--category", "c", "--url", "/")
	}
	for i := range 20_001 {
		open.WriteString("sp-5")
		if i > 0 {
			open.WriteString("-" + strings.Repeat("x", i%7) + strings.Repeat("y", i/7%11) + string(rune('a'+i/77%26)) + string(rune('a'+i/77/26)))
		}
		open.WriteByte('\n')
	}
	second := strings.TrimSpace(c.ok("time"))
	for strings.TrimSpace(c.ok("time")) == second {
	}
	now := strings.TrimSpace(c.ok("time"))
	args := []string{"todo", "reconcile", "-", "--as-of", now, "--from", "sp-", "--to", "sp.", "-o", "json"}
	if got := c.run(open.String(), append(args, "--max-close", "1")...); got.code != 1 || !strings.Contains(got.errs, "2 would be closed") {
		t.Errorf("with --max-close 1: %s", got)
	}
	got := c.run(open.String(), args...)
	var done struct {
		ClosedIDs []string
		Missing   int
	}
	if err := json.Unmarshal([]byte(got.out), &done); err != nil || strings.Join(done.ClosedIDs, " ") != "sp-0 sp-9" || done.Missing < 19_000 {
		t.Errorf("%s, %v", got, err)
	}
}

func TestMessages(t *testing.T) {
	c := newCaller(t, hubURL)
	check(t, c, []call{
		{
			args: words("message push --id ctl-m-1 --to ctl-amy,ctl-ben --title Tonight --content At_ten. --category it --action Read=/1"),
			out:  "Pushed to 2 users; 0 had it already.\n",
		},
		{
			args: words("message push -f - --to-file /dev/null"), stdin: `{"sourceMessageId":"ctl-m-1","targetUsernames":["ctl-amy","ctl-zoe"],"title":"x","content":"y"}`,
			out: "Pushed to 1 user; 1 had it already.\n",
		},
		{args: words("message push --id ctl-m-2 --to-file - --title Two --content c -o json"), stdin: "ctl-amy\n", out: "{\n  \"created\": 1,\n  \"duplicates\": 0\n}\n"},
		{
			args: words("message inbox ctl-amy --sort id,asc"),
			out: `MESSAGE  APP  STATUS  USER     TITLE    CATEGORY  OCCURRED
ctl-m-1  erp  UNREAD  ctl-amy  Tonight  it        20…
ctl-m-2  erp  UNREAD  ctl-amy  Two                20…
`,
		},
		{args: words("message inbox ctl-amy --size 1 -o json"), out: "[\n  {\n⋮\n  }\n]\n"},
		{args: words("message inbox ctl-amy --size 1"), out: "MESSAGE …\nctl-m-…\n", errs: "1 of 2; --all shows the whole list\n"},
		{args: words("message unread ctl-amy"), out: "2\n"},
		{args: words("message read ctl-amy ctl-m-1"), out: "What ctl-amy has of ctl-m-1 is read.\n"},
		{args: words("message unread ctl-amy -o json"), out: "{\n  \"unread\": 1\n}\n"},
		{args: words("message inbox ctl-amy --status read -o json --all"), out: "[\n  {\n⋮\n  }\n]\n"},
		{args: words("message read-all ctl-amy --app portal"), out: "Marked 0 messages of ctl-amy as read.\n"},
		{args: words("message read-all ctl-amy"), out: "Marked 1 message of ctl-amy as read.\n"},
		{
			args: words("message push --to ctl-amy"), code: 1,
			errs: "hubctl: source message id must not be empty\n  POST /message-hub/messages was answered with status 400, request id …\n",
		},
		{args: words("message push --id x --action Read"), code: 2, errs: "hubctl: --action must be LABEL=URL, not \"Read\"\n  hubctl message push --help\n"},
	})
}

func TestWrongCalls(t *testing.T) {
	check(t, newCaller(t, hubURL), []call{
		{args: words("fly"), code: 2, errs: "hubctl: hubctl has no command \"fly\", but …\n  hubctl --help\n"},
		{args: words("todo"), code: 2, errs: "hubctl: which one? clear, invalidate, list, reconcile, upsert\n  hubctl todo --help\n"},
		{args: words("todo fly"), code: 2, errs: "hubctl: hubctl todo has no command \"fly\", but …\n  hubctl todo --help\n"},
		{args: words("todo clear"), code: 2, errs: "hubctl: ID is missing: hubctl todo clear ID [flags]\n  hubctl todo clear --help\n"},
		{args: words("watch a b"), code: 2, errs: "hubctl: \"b\" is too much: …\n  hubctl watch --help\n"},
		{args: words("time -o xml"), code: 2, errs: "hubctl: invalid argument \"xml\" for \"-o, --output\" flag: must be table or json\n  hubctl time --help\n"},
		{args: words("time --timeout 0s"), code: 2, errs: "hubctl: --timeout must be more than 0\n  hubctl time --help\n"},
		{args: words("todo list --page 0"), code: 2, errs: "hubctl: --page counts from 1\n  hubctl todo list --help\n"},
		{args: words("todo list --all --page 2"), code: 2, errs: "hubctl: …\n  hubctl todo list --help\n"},
		{args: words("todo upsert -f /none"), code: 2, errs: "hubctl: open /none: no such file or directory\n  hubctl todo upsert --help\n"},
		{args: words("todo upsert -f -"), stdin: "[]", code: 2, errs: "hubctl: the file must hold one JSON object\n  hubctl todo upsert --help\n"},
		{args: words("todo upsert --payload {"), code: 2, errs: "hubctl: --payload must be JSON\n  hubctl todo upsert --help\n"},
	})
}

func TestHubThatIsNotThere(t *testing.T) {
	check(t, newCaller(t, "http://127.0.0.1:1"), []call{
		{args: words("time"), code: 3, errs: "hubctl: the token endpoint cannot be reached: …connection refused\n"},
		{args: words("conformance http://127.0.0.1:1"), code: 3, errs: "hubctl: no answer from http://127.0.0.1:1: …connection refused\n  hubctl doctor tells more\n"},
	})
}

func TestAnotherClientsTodoIsDenied(t *testing.T) {
	c := newCaller(t, hubURL).with("HUBCTL_CLIENT_ID=limited", "HUBCTL_CLIENT_SECRET=limited-secret")
	check(t, c, []call{{args: words("time"), code: 4, errs: "hubctl: no token: invalid_scope…\n"}})
}

func TestNewClient(t *testing.T) {
	c := bare(t)
	check(t, c, []call{
		{
			args: words("client new crm --scope client,directory"),
			out:  `{"id":"crm","secret_sha256":["…"],"scopes":["client","directory"]}` + "\n",
			errs: "The secret of crm, which is shown only now:\n  …\nIts entry for the clients in HUB_CLIENTS_FILE, {\"clients\": [ENTRY, ENTRY]}:\n",
		},
		{args: []string{"client", "new", "crm", "--scope", "a b"}, code: 2, errs: "hubctl: scopes must be one or more names …\n  hubctl client new --help\n"},
	})
	var made struct {
		Secret string
		Entry  json.RawMessage
	}
	if err := json.Unmarshal([]byte(c.ok("client", "new", "crm", "-o", "json")), &made); err != nil {
		t.Fatal(err)
	}
	url := hubWith(t, `{"clients":[`+string(made.Entry)+`]}`)
	newCaller(t, url).with("HUBCTL_CLIENT_ID=crm", "HUBCTL_CLIENT_SECRET="+made.Secret).ok("time")
}

func TestCompletion(t *testing.T) {
	c := bare(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := c.ok("completion", shell); !strings.Contains(out, "hubctl") {
			t.Errorf("%s: %s", shell, out)
		}
	}
	for want, line := range map[string]string{"cleared\n": "todo list --status ", "json\n": "time -o ", "read-all\t": "message read"} {
		if out := c.ok(append([]string{"__complete"}, strings.Split(line, " ")...)...); !strings.Contains(out, want) {
			t.Errorf("%s: %s", line, out)
		}
	}
}
