package grpcapi_test

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

var now = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func TestPushMessage(t *testing.T) {
	store := &scriptedStore{created: []inbox.Created{{Username: "ann", ID: "110"}}}
	got, err := serve(store).PushMessage(as(t, "erp"), &messagev1.PushMessageRequest{
		SourceMessageId: "m1",
		TargetUsernames: []string{"bob", "ann", "bob"},
		Title:           "title",
		Content:         "content",
		Category:        "notice",
		Actions:         []*messagev1.MessageAction{{Label: "b", Url: "/b"}, {Label: "a"}},
		OccurredAt:      timestamppb.New(now.Add(-time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "response", got, &messagev1.PushMessageResponse{Created: 1, Duplicates: 1})
	equal(t, "params", store.pushed, inbox.PushParams{
		Stamp:           inbox.Stamp{ClientID: "erp", Now: now},
		SourceMessageID: "m1",
		Targets:         []string{"ann", "bob"},
		Message: inbox.Message{
			Title: "title", Content: "content", Category: "notice",
			Actions: []inbox.Action{{Label: "b", URL: "/b"}, {Label: "a"}},
		},
		OccurredAt: now.Add(-time.Hour),
	})
}

func TestPushMessageInstants(t *testing.T) {
	instant := func(year, month, day, hour, minute, second int) *time.Time {
		at := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
		return &at
	}
	for _, tt := range []struct {
		name  string
		value *timestamppb.Timestamp
		want  *time.Time // nil for a refusal
	}{
		{"absent", nil, &now},
		{"1970", &timestamppb.Timestamp{}, instant(1970, 1, 1, 0, 0, 0)},
		{"year 1", &timestamppb.Timestamp{Seconds: -62135596800}, instant(1, 1, 1, 0, 0, 0)},
		{"before year 1", &timestamppb.Timestamp{Seconds: -62135596801}, nil},
		{"last second", &timestamppb.Timestamp{Seconds: 253402300799}, instant(9999, 12, 31, 23, 59, 59)},
		{"year 10000", &timestamppb.Timestamp{Seconds: 253402300800}, nil},
		{"what the edge could not read", &timestamppb.Timestamp{Seconds: math.MinInt64}, nil},
		{"nanos out of range", &timestamppb.Timestamp{Nanos: -1}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &scriptedStore{}
			_, err := serve(store).PushMessage(as(t, "erp"), &messagev1.PushMessageRequest{
				SourceMessageId: "m1", TargetUsernames: []string{"ann"}, Title: "t", Content: "c", OccurredAt: tt.value,
			})
			if tt.want == nil {
				if f := fault.As(err); f.Kind != fault.Invalid || f.Field != "occurred_at" {
					t.Errorf("error %v, want a fault of occurred_at", err)
				}
				return
			}
			if err != nil || !store.pushed.OccurredAt.Equal(*tt.want) {
				t.Errorf("occurred at %v, error %v; want %v", store.pushed.OccurredAt, err, tt.want)
			}
		})
	}
}

func TestListInbox(t *testing.T) {
	read := now.Add(time.Minute)
	store := &scriptedStore{records: []inbox.Record{
		{
			ID: "110", Username: "ann", SourceAppID: "erp", SourceMessageID: "m1",
			Message: inbox.Message{
				Title: "title", Content: "content", Category: "notice",
				Actions: []inbox.Action{{Label: "b", URL: "/b"}, {Label: "a", URL: "/a"}},
			},
			Status: inbox.Read, OccurredAt: now, ReadAt: &read, CreateTime: now.Add(time.Second), ModifyTime: read,
			CreatorID: "erp", ModifierID: "portal",
		},
		{ID: "111", Status: inbox.Unread, OccurredAt: now, CreateTime: now, ModifyTime: now},
	}}
	got, err := serve(store).ListInbox(as(t, "portal"), &messagev1.ListInboxRequest{
		Username: new("ann"), Page: new(int64(3)), Size: new(int64(500)),
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := decoded(t, got)
	full := seen.GetMessages()[0].ProtoReflect()
	for fields, i := full.Descriptor().Fields(), 0; i < fields.Len(); i++ {
		if !full.Has(fields.Get(i)) {
			t.Errorf("%s is not there", fields.Get(i).Name())
		}
	}
	stamp := timestamppb.New
	equal(t, "response", seen, &messagev1.ListInboxResponse{
		Messages: []*messagev1.InboxMessage{
			{
				Id: "110", Username: "ann", SourceAppId: "erp", SourceMessageId: "m1",
				Title: "title", Content: "content", Category: "notice",
				Actions:    []*messagev1.MessageAction{{Label: "b", Url: "/b"}, {Label: "a", Url: "/a"}},
				Status:     messagev1.MessageStatus_MESSAGE_STATUS_READ,
				OccurredAt: stamp(now), ReadAt: stamp(read), CreateTime: stamp(now.Add(time.Second)), ModifyTime: stamp(read),
				CreatorId: "erp", ModifierId: "portal",
			},
			{
				Id:         "111",
				Status:     messagev1.MessageStatus_MESSAGE_STATUS_UNREAD,
				OccurredAt: stamp(now), CreateTime: stamp(now), ModifyTime: stamp(now),
			},
		},
		Page: 3, Size: 200, TotalCount: 1 << 40,
	})
}

func TestListInboxParameters(t *testing.T) {
	defaults := inbox.ListParams{Page: field.Page{Size: 20}, Sort: inbox.DefaultSort}
	with := func(change func(p *inbox.ListParams)) inbox.ListParams {
		p := defaults
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name    string
		request *messagev1.ListInboxRequest
		want    inbox.ListParams
	}{
		{"nothing", &messagev1.ListInboxRequest{}, defaults},
		{
			"filters",
			&messagev1.ListInboxRequest{
				Username: new("ann"), Status: messagev1.MessageStatus_MESSAGE_STATUS_UNREAD,
				SourceAppId: "erp", SourceMessageId: "m1",
			},
			with(func(p *inbox.ListParams) {
				p.Username, p.Status, p.SourceAppID, p.SourceMessageID = "ann", inbox.Unread, "erp", "m1"
			}),
		},
		{
			"read",
			&messagev1.ListInboxRequest{Status: messagev1.MessageStatus_MESSAGE_STATUS_READ},
			with(func(p *inbox.ListParams) { p.Status = inbox.Read }),
		},
		{
			"sort without a field",
			&messagev1.ListInboxRequest{Sort: &messagev1.InboxSort{}},
			with(func(p *inbox.ListParams) { p.Sort = inbox.Sort{Field: inbox.SortOccurredAt} }),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &scriptedStore{}
			if _, err := serve(store).ListInbox(as(t, "portal"), tt.request); err != nil {
				t.Fatal(err)
			}
			equal(t, "params", store.listed, tt.want)
		})
	}
}

func TestListInboxKnowsEverySortField(t *testing.T) {
	want := map[string]string{
		"INBOX_SORT_FIELD_UNSPECIFIED":   "occurredAt",
		"INBOX_SORT_FIELD_OCCURRED_AT":   "occurredAt",
		"INBOX_SORT_FIELD_CREATE_TIME":   "createTime",
		"INBOX_SORT_FIELD_MODIFY_TIME":   "modifyTime",
		"INBOX_SORT_FIELD_READ_AT":       "readAt",
		"INBOX_SORT_FIELD_CATEGORY":      "category",
		"INBOX_SORT_FIELD_SOURCE_APP_ID": "sourceAppId",
		"INBOX_SORT_FIELD_ID":            "id",
	}
	got := map[string]string{}
	for number, name := range messagev1.InboxSortField_name {
		store := &scriptedStore{}
		sort := &messagev1.InboxSort{Field: messagev1.InboxSortField(number), Descending: true}
		if _, err := serve(store).ListInbox(as(t, "portal"), &messagev1.ListInboxRequest{Sort: sort}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got[name] = store.listed.Sort.Field.String()
		equal(t, name+" descending", store.listed.Sort.Descending, true)
	}
	equal(t, "sort fields", got, want)
}

func TestListInboxRefusesUnknownEnums(t *testing.T) {
	// 257 is 1 in the lowest byte.
	for _, number := range []int32{-1, 100, 257, math.MinInt32, math.MaxInt32} {
		for want, request := range map[string]*messagev1.ListInboxRequest{
			"status": {Status: messagev1.MessageStatus(number)},
			"sort":   {Sort: &messagev1.InboxSort{Field: messagev1.InboxSortField(number)}},
		} {
			_, err := serve(&scriptedStore{}).ListInbox(as(t, "portal"), request)
			if f := fault.As(err); f.Kind != fault.Invalid || f.Field != want {
				t.Errorf("%v: error %v, want a fault of %s", request, err, want)
			}
		}
	}
}

func TestListInboxRefusesAnEmptyUsername(t *testing.T) {
	_, err := serve(&scriptedStore{}).ListInbox(as(t, "portal"), &messagev1.ListInboxRequest{Username: new("")})
	equal(t, "message", fault.As(err).Public, "username must not be empty")
}

func TestCountUnread(t *testing.T) {
	got, err := serve(&scriptedStore{}).CountUnread(as(t, "portal"), &messagev1.CountUnreadRequest{Username: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "response", got, &messagev1.CountUnreadResponse{Count: 1 << 40})
}

func TestMarkRead(t *testing.T) {
	store := &scriptedStore{}
	got, err := serve(store).MarkRead(as(t, "portal"), &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "response", got, &messagev1.MarkReadResponse{Switched: 2})
	equal(t, "params", store.marked, inbox.MarkReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: now}, SourceMessageID: "m1", Username: "ann",
	})
}

func TestEveryCallNeedsACaller(t *testing.T) {
	store := &scriptedStore{}
	s, ctx := serve(store), t.Context()
	_, pushErr := s.PushMessage(ctx, &messagev1.PushMessageRequest{
		SourceMessageId: "m1", TargetUsernames: []string{"ann"}, Title: "t", Content: "c",
	})
	_, listErr := s.ListInbox(ctx, &messagev1.ListInboxRequest{})
	_, countErr := s.CountUnread(ctx, &messagev1.CountUnreadRequest{Username: "ann"})
	_, readErr := s.MarkRead(ctx, &messagev1.MarkReadRequest{SourceMessageId: "m1", Username: "ann"})
	for name, err := range map[string]error{
		"PushMessage": pushErr, "ListInbox": listErr, "CountUnread": countErr, "MarkRead": readErr,
	} {
		if fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: error %v, want a fault of kind Unauthenticated", name, err)
		}
	}
	equal(t, "calls of the store", store.calls, 0)
}

func TestListByPageToken(t *testing.T) {
	store := &scriptedStore{records: []inbox.Record{{ID: inbox.RecordID(9, 1), OccurredAt: now}, {ID: inbox.RecordID(8, 0), OccurredAt: now}}}
	s := serve(store)
	req := &messagev1.ListInboxRequest{Username: proto.String("ann"), PageToken: proto.String(""), Size: proto.Int64(1)}
	first, err := s.ListInbox(as(t, "erp"), req)
	if err != nil || len(decoded(t, first).GetMessages()) != 1 || first.GetNextPageToken() == "" || first.GetTotalCount() != 0 {
		t.Fatalf("the first page: %v, %v", first, err)
	}
	req.PageToken = &first.NextPageToken
	if _, err := s.ListInbox(as(t, "erp"), req); err != nil {
		t.Fatal(err)
	}
	if after := store.walked.After; after == nil || *after != (inbox.Place{At: now, Body: 9, Ordinal: 1}) {
		t.Errorf("the place is %+v", after)
	}
	req.Username = proto.String("bob")
	if _, err := s.ListInbox(as(t, "erp"), req); err == nil || fault.As(err).Field != "page_token" {
		t.Errorf("the token in the list of another user: %v", err)
	}
}
