package message

import (
	"fmt"
	"time"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/shape"
)

// perTarget is what a push gets on top of the call timeout for each target.
const perTarget = time.Millisecond

// PushBody is the body of POST /message-hub/messages. sourceAppId is left out on purpose: the hub takes
// it from the token (contract, Authentication 5).
type PushBody struct {
	SourceMessageID string     `json:"sourceMessageId"`
	TargetUsernames targetList `json:"targetUsernames"`
	Title           string     `json:"title"`
	Content         string     `json:"content"`
	Category        string     `json:"category"`
	Actions         actionList `json:"actions"`
	OccurredAt      string     `json:"occurredAt"`
}

// ActionBody is a MessageAction in a request.
type ActionBody struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

func readPush(r *rest.Request, m *messagev1.PushMessageRequest) error {
	in, err := rest.Body[PushBody](r)
	if err != nil {
		return err
	}
	m.SourceMessageId = in.SourceMessageID
	m.TargetUsernames = in.TargetUsernames
	m.Title = in.Title
	m.Content = in.Content
	m.Category = in.Category
	m.OccurredAt = shape.ParseInstant(in.OccurredAt)
	for i, a := range in.Actions {
		if a == nil {
			return fmt.Errorf("actions[%d] must be an object", i)
		}
		m.Actions = append(m.Actions, &messagev1.MessageAction{Label: a.Label, Url: a.URL})
	}
	r.More(time.Duration(len(in.TargetUsernames)) * perTarget)
	return nil
}

func readInbox(r *rest.Request, m *messagev1.ListInboxRequest) error {
	m.Username = r.Optional("username")
	m.Status = statuses.Parse(r.Text("status"))
	m.SourceAppId = r.Text("sourceAppId")
	m.SourceMessageId = r.Text("sourceMessageId")
	m.Page, m.Size = r.Page()
	if field, descending, ok := rest.Sort(r, sortFields); ok {
		m.Sort = &messagev1.InboxSort{Field: field, Descending: descending}
	}
	return nil
}

func readCount(r *rest.Request, m *messagev1.CountUnreadRequest) error {
	m.Username = r.Text("username")
	return nil
}

func readMark(r *rest.Request, m *messagev1.MarkReadRequest) error {
	m.Username = r.Text("username")
	return nil
}
