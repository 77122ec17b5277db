package grpcapi

import (
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
