package allinone_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/contract"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// post sends a body and gives the answer, its status and its msg.
func post(t *testing.T, url, access, body string) (resp *http.Response, msg string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+access)
	req.Header.Set("Content-Type", "application/json")
	resp, err = http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var envelope struct{ Code, Msg string }
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	return resp, envelope.Msg
}

// TestNativeAndRESTCallersShareALimit has a client spend one half each way.
func TestNativeAndRESTCallersShareALimit(t *testing.T) {
	hub := start(t, "HUB_LIMIT_WRITES=1", "HUB_LIMIT_BURST=1m")
	access := token(t, hub, "erp")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+access)
	native := todov1.NewTodoServiceClient(dial(t, hub))
	body := `{"todoId":"a","type":"HANDLE","sourceBizId":"1","assigneeUsername":"amy","title":"t","category":"c","actionUrl":"/a"}`
	begin := time.Now()
	for i := range 30 {
		if resp, msg := post(t, hub.URL()+"/todo-hub/todos", access, body); resp.StatusCode != http.StatusOK ||
			resp.Header.Get("RateLimit-Policy") != `"writes";q=60;w=60` {
			t.Fatalf("REST call %d: %s %s, %v", i, resp.Status, msg, resp.Header)
		}
		if _, err := native.UpsertTodo(ctx, upsert("b")); err != nil {
			t.Fatalf("native call %d: %v", i, err)
		}
	}
	extra := int(time.Since(begin).Seconds()) + 1
	var err error
	for range extra + 1 {
		if _, err = native.UpsertTodo(ctx, upsert("b")); err != nil {
			break
		}
	}
	details := status.Convert(err).Details()
	if status.Code(err) != codes.ResourceExhausted || len(details) != 1 {
		t.Fatalf("got %v, %v", err, details)
	}
	if retry, ok := details[0].(*errdetails.RetryInfo); !ok || retry.GetRetryDelay().AsDuration() > time.Second {
		t.Errorf("got the detail %v", details[0])
	}
	resp, msg := post(t, hub.URL()+"/todo-hub/todos", access, body)
	for resp.StatusCode == http.StatusOK { // a second went by
		resp, msg = post(t, hub.URL()+"/todo-hub/todos", access, body)
	}
	if resp.StatusCode != http.StatusTooManyRequests || msg != "too many writes, try again in 1 s" ||
		resp.Header.Get("Retry-After") != "1" || resp.Header.Get("RateLimit") != `"writes";r=0;t=1` {
		t.Errorf("%s %q, %v", resp.Status, msg, resp.Header)
	}

	// Others and reads have limits of their own, or none.
	if resp, msg := post(t, hub.URL()+"/todo-hub/todos", token(t, hub, "portal"), body); resp.StatusCode != http.StatusOK {
		t.Errorf("another client: %s %s", resp.Status, msg)
	}
	if resp := get(t, hub.URL()+"/todo-hub/todos", access); resp.StatusCode != http.StatusOK || resp.Header.Get("RateLimit") != "" {
		t.Errorf("a read: %s, %v", resp.Status, resp.Header)
	}
}

func TestALargePushTakesTheWholeBucketAndNoMore(t *testing.T) {
	hub := start(t, "HUB_LIMIT_WRITES=1", "HUB_LIMIT_BURST=1m", "HUB_ERROR_STATUS=200")
	access := token(t, hub, "erp")
	push := func(id string, targets int) (*http.Response, string) {
		t.Helper()
		users := make([]string, targets)
		for i := range users {
			users[i] = fmt.Sprintf("%q", "user-"+strconv.Itoa(i))
		}
		return post(t, hub.URL()+"/message-hub/messages", access, fmt.Sprintf(
			`{"sourceMessageId":%q,"targetUsernames":[%s],"title":"t","content":"c"}`, id, strings.Join(users, ",")))
	}
	if resp, msg := push("m-1", 10_000); msg != "ok" || resp.Header.Get("RateLimit") != `"writes";r=0;t=60` {
		t.Fatalf("the large push: %s, %v", msg, resp.Header)
	}
	resp, msg := push("m-2", 3000)
	after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(msg, "too many writes, try again in ") || err != nil || after < 20 || after > 31 {
		t.Errorf("another after it: %s %s, %v; want to wait 31 s", resp.Status, msg, resp.Header)
	}
}

// TestContractUnderLimits lets the headers of the limits be checked against the OpenAPI document.
func TestContractUnderLimits(t *testing.T) {
	hub := start(t, "HUB_ERROR_STATUS=200", "HUB_LIMIT_WRITES=1000", "HUB_LIMIT_READS=1000", "HUB_LIMIT_BURST=10m")
	contract.RunErrorStatus200(t, target(hub, func(s *contract.Settings) { s.ErrorStatus200 = true }))
}
