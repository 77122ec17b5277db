package grpcapi

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/pbtime"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

// The enums of the domain have the numbers of the proto, and 0 for UNSPECIFIED, so that a conversion
// is enough in both directions. Numbers that the proto does not name pass through, and the domain
// refuses them in its order.

func said(in *messagev1.PushMessageRequest) inbox.Message {
	m := inbox.Message{
		Title:    in.GetTitle(),
		Content:  in.GetContent(),
		Category: in.GetCategory(),
		Actions:  make([]inbox.Action, len(in.GetActions())),
	}
	for i, a := range in.GetActions() {
		m.Actions[i] = inbox.Action{Label: a.GetLabel(), URL: a.GetUrl()}
	}
	return m
}

// sort gives nil for an absent sort; a sort without a field is by the time of occurrence.
func sort(s *messagev1.InboxSort) *inbox.Sort {
	if s == nil {
		return nil
	}
	sort := inbox.Sort{Field: inbox.SortField(s.GetField()), Descending: s.GetDescending()}
	if sort.Field == 0 {
		sort.Field = inbox.DefaultSort.Field
	}
	return &sort
}

func messages(records []inbox.Record) []*messagev1.InboxMessage {
	converted := make([]*messagev1.InboxMessage, len(records))
	for i := range records {
		converted[i] = message(&records[i])
	}
	return converted
}

// parts are a message and what it points to, in one allocation: a page has many.
type parts struct {
	message                        messagev1.InboxMessage
	occurred, read, create, modify timestamppb.Timestamp
}

func message(r *inbox.Record) *messagev1.InboxMessage {
	var m parts
	m.message = messagev1.InboxMessage{
		Id:              r.ID,
		Username:        r.Username,
		SourceAppId:     r.SourceAppID,
		SourceMessageId: r.SourceMessageID,
		Title:           r.Title,
		Content:         r.Content,
		Category:        r.Category,
		Actions:         make([]*messagev1.MessageAction, len(r.Actions)),
		Status:          messagev1.MessageStatus(r.Status),
		OccurredAt:      pbtime.Timestamp(&m.occurred, r.OccurredAt),
		ReadAt:          pbtime.Optional(&m.read, r.ReadAt),
		CreateTime:      pbtime.Timestamp(&m.create, r.CreateTime),
		ModifyTime:      pbtime.Timestamp(&m.modify, r.ModifyTime),
		CreatorId:       r.CreatorID,
		ModifierId:      r.ModifierID,
	}
	for i, a := range r.Actions {
		m.message.Actions[i] = &messagev1.MessageAction{Label: a.Label, Url: a.URL}
	}
	return &m.message
}
