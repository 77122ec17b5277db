package grpcapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

// unknown stands for a number that no enum value has; the domain refuses it.
const unknown = -1

// invalidInstant has a year that field.Checks refuses.
var invalidInstant = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)

// instant gives nil for an absent timestamp. IsValid includes the contract's years 1 to 9999.
func instant(ts *timestamppb.Timestamp) *time.Time {
	if ts == nil {
		return nil
	}
	t := invalidInstant
	if ts.IsValid() {
		t = ts.AsTime()
	}
	return &t
}

// status gives 0, any, for an unspecified status.
func status(s messagev1.MessageStatus) inbox.Status {
	switch s {
	case messagev1.MessageStatus_MESSAGE_STATUS_UNSPECIFIED:
		return 0
	case messagev1.MessageStatus_MESSAGE_STATUS_UNREAD:
		return inbox.Unread
	case messagev1.MessageStatus_MESSAGE_STATUS_READ:
		return inbox.Read
	default:
		return unknown
	}
}

func protoStatus(s inbox.Status) messagev1.MessageStatus {
	if s == inbox.Read {
		return messagev1.MessageStatus_MESSAGE_STATUS_READ
	}
	return messagev1.MessageStatus_MESSAGE_STATUS_UNREAD
}

// sort gives nil, the default, for an absent sort.
func sort(s *messagev1.InboxSort) *inbox.Sort {
	if s == nil {
		return nil
	}
	return &inbox.Sort{Field: sortField(s.GetField()), Descending: s.GetDescending()}
}

func sortField(f messagev1.InboxSortField) inbox.SortField {
	switch f {
	case messagev1.InboxSortField_INBOX_SORT_FIELD_UNSPECIFIED,
		messagev1.InboxSortField_INBOX_SORT_FIELD_OCCURRED_AT:
		return inbox.SortOccurredAt
	case messagev1.InboxSortField_INBOX_SORT_FIELD_CREATE_TIME:
		return inbox.SortCreateTime
	case messagev1.InboxSortField_INBOX_SORT_FIELD_MODIFY_TIME:
		return inbox.SortModifyTime
	case messagev1.InboxSortField_INBOX_SORT_FIELD_READ_AT:
		return inbox.SortReadAt
	case messagev1.InboxSortField_INBOX_SORT_FIELD_CATEGORY:
		return inbox.SortCategory
	case messagev1.InboxSortField_INBOX_SORT_FIELD_SOURCE_APP_ID:
		return inbox.SortSourceAppID
	case messagev1.InboxSortField_INBOX_SORT_FIELD_ID:
		return inbox.SortID
	default:
		return unknown
	}
}

func actions(list []*messagev1.MessageAction) []inbox.Action {
	converted := make([]inbox.Action, len(list))
	for i, a := range list {
		converted[i] = inbox.Action{Label: a.GetLabel(), URL: a.GetUrl()}
	}
	return converted
}

func messages(records []inbox.Record) []*messagev1.InboxMessage {
	converted := make([]*messagev1.InboxMessage, len(records))
	for i := range records {
		converted[i] = message(&records[i])
	}
	return converted
}

func message(r *inbox.Record) *messagev1.InboxMessage {
	m := &messagev1.InboxMessage{
		Id:              r.ID,
		Username:        r.Username,
		SourceAppId:     r.SourceAppID,
		SourceMessageId: r.SourceMessageID,
		Title:           r.Title,
		Content:         r.Content,
		Category:        r.Category,
		Actions:         make([]*messagev1.MessageAction, len(r.Actions)),
		Status:          protoStatus(r.Status),
		OccurredAt:      timestamppb.New(r.OccurredAt),
		CreateTime:      timestamppb.New(r.CreateTime),
		ModifyTime:      timestamppb.New(r.ModifyTime),
		CreatorId:       r.Creator,
		ModifierId:      r.Modifier,
	}
	for i, a := range r.Actions {
		m.Actions[i] = &messagev1.MessageAction{Label: a.Label, Url: a.URL}
	}
	if r.ReadAt != nil {
		m.ReadAt = timestamppb.New(*r.ReadAt)
	}
	return m
}
