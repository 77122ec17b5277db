package todohub_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/retention"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub"
)

func load(t *testing.T, environ ...string) (todohub.Config, error) {
	t.Helper()
	var c todohub.Config
	err := config.Load(&c, environ)
	return c, err
}

func TestConfigDefaults(t *testing.T) {
	got, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := todohub.Config{Ownership: "shared", Config: field.Config{PageConfig: field.PageConfig{MaxPageSize: 200}, ListTimeout: 2 * time.Second}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestConfigFromEnvironment(t *testing.T) {
	got, err := load(t, "HUB_TODO_OWNERSHIP=source", "HUB_TODO_OPERATORS=ops,portal", "HUB_MAX_PAGE_SIZE=50",
		"HUB_URL_SCHEMES=https,erp+app", "HUB_LIST_TIMEOUT=300ms", "HUB_TODO_RETENTION=90d")
	if err != nil {
		t.Fatal(err)
	}
	want := todohub.Config{
		Ownership: "source", Operators: []string{"ops", "portal"}, Config: field.Config{
			PageConfig: field.PageConfig{MaxPageSize: 50}, URLSchemes: []string{"https", "erp+app"}, ListTimeout: 300 * time.Millisecond,
		}, Retention: retention.Age(90 * 24 * time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := load(t, "HUB_TODO_OWNERSHIP=mine", "HUB_TODO_OPERATORS=ops, ,x", "HUB_MAX_PAGE_SIZE=0",
		"HUB_URL_SCHEMES=https://", "HUB_LIST_TIMEOUT=1us", "HUB_TODO_RETENTION=9m")
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`HUB_TODO_OWNERSHIP: must be shared or source, not "mine"`,
		"HUB_TODO_OPERATORS: must not have an empty entry",
		"HUB_MAX_PAGE_SIZE: must be from 1 to 1000, not 0",
		`HUB_URL_SCHEMES: "https://" is no URL scheme`,
		"HUB_LIST_TIMEOUT: must be at least 1ms, not 1µs",
		"HUB_TODO_RETENTION: must be empty or at least 1h0m0s, not 9m0s",
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// TestReceiveLimit has the largest item, and a batch whose items are as large as a body of an edge lets them be.
func TestReceiveLimit(t *testing.T) {
	limit := todohub.Config{}.MaxReceive()
	item := func(payload int) *todov1.UpsertTodoRequest {
		wide := func(n int) string { return strings.Repeat("\U0001F600", n) }
		return &todov1.UpsertTodoRequest{
			TodoId: wide(field.MaxID), SourceBizId: wide(field.MaxID), AssigneeUsername: wide(field.MaxUsername), Title: wide(field.MaxTitle),
			Summary: wide(field.MaxSummary), Category: wide(field.MaxCategory), ActionUrl: wide(field.MaxURL), Payload: strings.Repeat("1", payload),
		}
	}
	largest := proto.Size(item(16 << 10))
	if largest > limit || largest*field.MaxBatch < limit {
		t.Errorf("the largest item takes %d bytes, and a message may have %d: see ADR 39", largest, limit)
	}
	batch := &todov1.BatchUpsertTodosRequest{}
	for range field.MaxBatch {
		batch.Items = append(batch.Items, &todov1.UpsertTodoRequest{Summary: strings.Repeat("s", 4<<10), Payload: strings.Repeat("1", 4<<10)})
	}
	if n := proto.Size(batch); n > limit {
		t.Errorf("a batch of items of 8 KiB takes %d bytes, and a message may have %d", n, limit)
	}
}
