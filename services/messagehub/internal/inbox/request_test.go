package inbox_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

// wantFault checks that err is the Invalid fault of the field with the message, or nil for "".
func wantFault(t *testing.T, err error, field, message string) {
	t.Helper()
	if message == "" {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want the fault %q", err, message)
	}
	if f.Kind != fault.Invalid || f.Field != field || f.Public != message {
		t.Errorf("fault of kind %d, field %q, %q; want kind %d, field %q, %q",
			f.Kind, f.Field, f.Public, fault.Invalid, field, message)
	}
}

func validPush() inbox.PushRequest {
	return inbox.PushRequest{
		SourceMessageID: "m1",
		TargetUsernames: []string{"ann"},
		Message:         inbox.Message{Title: "title", Content: "content"},
	}
}

func TestPushChecks(t *testing.T) {
	targets := func(n int) []string { return slices.Repeat([]string{"ann"}, n) }
	year := func(y int) *time.Time {
		at := time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
		return &at
	}
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, tt := range []struct {
		name           string
		change         func(r *inbox.PushRequest)
		field, message string
	}{
		{"as it is", func(*inbox.PushRequest) {}, "", ""},
		{"no message id", func(r *inbox.PushRequest) { r.SourceMessageID = " " }, "source_message_id", "source message id must not be empty"},
		{"message id of dots", func(r *inbox.PushRequest) { r.SourceMessageID = ".." }, "source_message_id", `source message id must not be ".."`},
		{"message id with a line end", func(r *inbox.PushRequest) { r.SourceMessageID = "a\nid: b" }, "source_message_id", "source message id must not contain control characters"},
		{"longest message id", func(r *inbox.PushRequest) { r.SourceMessageID = long(255) }, "", ""},
		{"message id too long", func(r *inbox.PushRequest) { r.SourceMessageID = long(256) }, "source_message_id", "source message id must be at most 255 characters"},
		{"nil targets", func(r *inbox.PushRequest) { r.TargetUsernames = nil }, "target_usernames", "target usernames must not be empty"},
		{"no targets", func(r *inbox.PushRequest) { r.TargetUsernames = []string{} }, "target_usernames", "target usernames must not be empty"},
		{"most targets", func(r *inbox.PushRequest) { r.TargetUsernames = targets(50) }, "", ""},
		{"too many targets", func(r *inbox.PushRequest) { r.TargetUsernames = targets(51) }, "target_usernames", "target usernames must have at most 50 entries"},
		{"empty target", func(r *inbox.PushRequest) { r.TargetUsernames = []string{"a", "b", "c", "", ""} }, "target_usernames[3]", "target usernames[3] must not be empty"},
		{"target with NUL", func(r *inbox.PushRequest) { r.TargetUsernames = []string{"a\x00"} }, "target_usernames[0]", "target usernames[0] must not contain NUL"},
		{"target too long", func(r *inbox.PushRequest) { r.TargetUsernames = []string{"a", long(129)} }, "target_usernames[1]", "target usernames[1] must be at most 128 characters"},
		{"targets by ids", func(r *inbox.PushRequest) { r.TargetUsernames, r.TargetUserIDs = nil, targets(50) }, "", ""},
		{"too many ids", func(r *inbox.PushRequest) { r.TargetUsernames, r.TargetUserIDs = nil, targets(51) }, "target_user_ids", "target user ids must have at most 50 entries"},
		{"a wrong id", func(r *inbox.PushRequest) { r.TargetUsernames, r.TargetUserIDs = nil, []string{"a", long(129)} }, "target_user_ids[1]", "target user ids[1] must be at most 128 characters"},
		{"wrong ids beside names", func(r *inbox.PushRequest) { r.TargetUserIDs = targets(51) }, "", ""},
		{"no title", func(r *inbox.PushRequest) { r.Title = "" }, "title", "title must not be empty"},
		{"title too long", func(r *inbox.PushRequest) { r.Title = long(1025) }, "title", "title must be at most 1024 characters"},
		{"no content", func(r *inbox.PushRequest) { r.Content = "\t\n" }, "content", "content must not be empty"},
		{"longest content", func(r *inbox.PushRequest) { r.Content = long(field.MaxContentBytes / 2) }, "", ""},
		{"content too long", func(r *inbox.PushRequest) { r.Content = "x" + long(field.MaxContentBytes/2) }, "content", "content must be at most 65536 bytes"},
		{"category too long", func(r *inbox.PushRequest) { r.Category = long(129) }, "category", "category must be at most 128 characters"},
		{"most actions", func(r *inbox.PushRequest) { r.Actions = make([]inbox.Action, 20) }, "", ""},
		{"too many actions", func(r *inbox.PushRequest) { r.Actions = make([]inbox.Action, 21) }, "actions", "actions must have at most 20 entries"},
		{"label too long", func(r *inbox.PushRequest) { r.Actions = []inbox.Action{{}, {Label: long(129)}} }, "actions[1].label", "actions[1].label must be at most 128 characters"},
		{"URL that runs", func(r *inbox.PushRequest) { r.Actions = []inbox.Action{{URL: "JavaScript:alert(1)"}} }, "actions[0].url", "actions[0].url must not use the scheme javascript"},
		{"URL of another scheme", func(r *inbox.PushRequest) { r.Actions = []inbox.Action{{URL: "ftp://a"}} }, "actions[0].url", "actions[0].url must use one of the schemes https, app"},
		{"URL of an allowed scheme", func(r *inbox.PushRequest) { r.Actions = []inbox.Action{{URL: "App:go"}, {URL: "/go"}} }, "", ""},
		{"year 0", func(r *inbox.PushRequest) { r.OccurredAt = year(0) }, "occurred_at", "occurred at must be an RFC 3339 instant of the years 1 to 9999"},
		{"year 1", func(r *inbox.PushRequest) { r.OccurredAt = year(1) }, "", ""},
		{"year 10000", func(r *inbox.PushRequest) { r.OccurredAt = year(10_000) }, "occurred_at", "occurred at must be an RFC 3339 instant of the years 1 to 9999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t)
			r := validPush()
			tt.change(&r)
			_, err := h.service.Push(t.Context(), "erp", r)
			wantFault(t, err, tt.field, tt.message)
			if stored := h.store.pushed != nil; stored != (tt.message == "") {
				t.Errorf("the store was called: %v", stored)
			}
		})
	}
}

func TestPushChecksInTheOrderOfTheContract(t *testing.T) {
	r := inbox.PushRequest{
		TargetUsernames: nil,
		Message: inbox.Message{
			Category: strings.Repeat("x", 200),
			Actions:  []inbox.Action{{Label: strings.Repeat("x", 200), URL: "data:x"}},
		},
		OccurredAt: &time.Time{},
	}
	*r.OccurredAt = r.OccurredAt.AddDate(-1, 0, 0)
	for _, step := range []struct {
		field string
		mend  func()
	}{
		{"source_message_id", func() { r.SourceMessageID = "m1" }},
		{"target_usernames", func() { r.TargetUsernames = []string{""} }},
		{"target_usernames[0]", func() { r.TargetUsernames = []string{"ann"} }},
		{"title", func() { r.Title = "title" }},
		{"content", func() { r.Content = "content" }},
		{"category", func() { r.Category = "" }},
		{"actions[0].label", func() { r.Actions[0].Label = "" }},
		{"actions[0].url", func() { r.Actions[0].URL = "" }},
		{"occurred_at", func() { r.OccurredAt = nil }},
	} {
		_, err := newHarness(t).service.Push(t.Context(), "erp", r)
		if got := fault.As(err).Field; got != step.field {
			t.Fatalf("first fault is of %q (%v), want %q", got, err, step.field)
		}
		step.mend()
	}
	if _, err := newHarness(t).service.Push(t.Context(), "erp", r); err != nil {
		t.Errorf("error %v, want none", err)
	}
}

func TestListChecks(t *testing.T) {
	sortFault := "sort must be one of occurredAt, createTime, modifyTime, readAt, category, sourceAppId, id," +
		" with an optional ,asc or ,desc"
	for _, tt := range []struct {
		name           string
		request        inbox.ListRequest
		field, message string
	}{
		{"nothing", inbox.ListRequest{}, "", ""},
		{"everything", inbox.ListRequest{
			Username: new("ann"), Status: inbox.Read, SourceAppID: "erp", SourceMessageID: "m1",
			Page: new(int64(math.MaxInt64)), Size: new(int64(math.MaxInt64)), Sort: &inbox.Sort{Field: inbox.SortID},
		}, "", ""},
		{"empty username", inbox.ListRequest{Username: new("")}, "username", "username must not be empty"},
		{"blank username", inbox.ListRequest{Username: new(" ")}, "username", "username must not be empty"},
		{"unknown status", inbox.ListRequest{Status: -1}, "status", "status must be UNREAD or READ"},
		{"status past the last", inbox.ListRequest{Status: inbox.Read + 1}, "status", "status must be UNREAD or READ"},
		{"app with NUL", inbox.ListRequest{SourceAppID: "a\x00"}, "source_app_id", "source app id must not contain NUL"},
		{"message id of a dot", inbox.ListRequest{SourceMessageID: "."}, "source_message_id", `source message id must not be "."`},
		{"negative page", inbox.ListRequest{Page: new(int64(-1))}, "page", "page must be an integer of at least 0"},
		{"size 0", inbox.ListRequest{Size: new(int64(0))}, "size", "size must be an integer of at least 1"},
		{"no sort field", inbox.ListRequest{Sort: &inbox.Sort{}}, "sort", sortFault},
		{"unknown sort field", inbox.ListRequest{Sort: &inbox.Sort{Field: -1}}, "sort", sortFault},
		{"sort field past the last", inbox.ListRequest{Sort: &inbox.Sort{Field: inbox.SortID + 1}}, "sort", sortFault},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newHarness(t).service.List(t.Context(), tt.request)
			wantFault(t, err, tt.field, tt.message)
		})
	}
}

func TestListChecksInTheOrderOfTheContract(t *testing.T) {
	r := inbox.ListRequest{
		Username: new(""), Status: -1, SourceAppID: "\n", SourceMessageID: "\n",
		Page: new(int64(-1)), Size: new(int64(-1)), Sort: &inbox.Sort{},
	}
	for _, step := range []struct {
		field string
		mend  func()
	}{
		{"username", func() { r.Username = nil }},
		{"status", func() { r.Status = 0 }},
		{"source_app_id", func() { r.SourceAppID = "" }},
		{"source_message_id", func() { r.SourceMessageID = "" }},
		{"page", func() { r.Page = nil }},
		{"size", func() { r.Size = nil }},
		{"sort", func() { r.Sort = nil }},
	} {
		_, err := newHarness(t).service.List(t.Context(), r)
		if got := fault.As(err).Field; got != step.field {
			t.Fatalf("first fault is of %q (%v), want %q", got, err, step.field)
		}
		step.mend()
	}
}

func TestCountUnreadChecks(t *testing.T) {
	_, err := newHarness(t).service.CountUnread(t.Context(), inbox.CountUnreadRequest{})
	wantFault(t, err, "username", "username must not be empty")
}

func TestMarkReadChecks(t *testing.T) {
	for _, tt := range []struct {
		request        inbox.MarkReadRequest
		field, message string
	}{
		{inbox.MarkReadRequest{}, "source_message_id", "source message id must not be empty"},
		{inbox.MarkReadRequest{SourceMessageID: "."}, "source_message_id", `source message id must not be "."`},
		{inbox.MarkReadRequest{SourceMessageID: "m1"}, "username", "username must not be empty"},
		{inbox.MarkReadRequest{SourceMessageID: "m1", Username: "a\r"}, "username", "username must not contain control characters"},
	} {
		t.Run(fmt.Sprintf("%+q", tt.request), func(t *testing.T) {
			h := newHarness(t)
			_, err := h.service.MarkRead(t.Context(), "portal", tt.request)
			wantFault(t, err, tt.field, tt.message)
			if h.store.marked != nil {
				t.Error("the store was called")
			}
		})
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		inbox.Unread.String():          "UNREAD",
		inbox.Read.String():            "READ",
		inbox.SortOccurredAt.String():  "occurredAt",
		inbox.SortCreateTime.String():  "createTime",
		inbox.SortModifyTime.String():  "modifyTime",
		inbox.SortReadAt.String():      "readAt",
		inbox.SortCategory.String():    "category",
		inbox.SortSourceAppID.String(): "sourceAppId",
		inbox.SortID.String():          "id",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
}
