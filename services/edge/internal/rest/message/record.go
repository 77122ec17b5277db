package message

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// statuses are the contract's words.
var statuses = shape.Words[messagev1.MessageStatus]{"", "UNREAD", "READ"}

// MaxRecord is more bytes than the largest message of an inbox takes on the wire: one of 64 KiB of
// content and 20 actions, whose labels and URLs are 2,176 characters of up to 4 bytes each, comes to
// 242 KiB with its ids, names and title.
const MaxRecord = 256 << 10

// InboxMessage is an InboxMessage of the contract, from a messagev1.InboxMessage. Every member is always
// there.
var InboxMessage = shape.New(append([]shape.Field{
	shape.Text("id", 1),
	shape.Text("username", 2),
	shape.Text("sourceAppId", 3),
	shape.Text("sourceMessageId", 4),
	shape.Joined("idempotencyKey", ":", 3, 4, 2),
	shape.Text("title", 5),
	shape.Text("content", 6),
	shape.Text("category", 7),
	shape.List("actions", 8, Action),
	shape.Word("status", 9, statuses),
	shape.Instant("occurredAt", 10),
	shape.Instant("readAt", 11),
}, shape.Audit(12, 13, 14, 15)...)...)

// Action is a MessageAction of the contract, from a messagev1.MessageAction.
var Action = shape.New(
	shape.Text("label", 1),
	shape.Text("url", 2),
)

// perTarget is what a push gets on top of the call timeout for each target.
const perTarget = time.Millisecond

// PushBody is the body of POST /message-hub/messages. sourceAppId is left out on purpose: the hub takes
// it from the token (contract, Authentication 5).
type PushBody struct {
	SourceMessageID string         `json:"sourceMessageId"`
	TargetUsernames targetList     `json:"targetUsernames"`
	TargetUserIDs   jsontext.Value `json:"targetUserIds"`
	Title           string         `json:"title"`
	Content         string         `json:"content"`
	Category        string         `json:"category"`
	Actions         actionList     `json:"actions"`
	OccurredAt      string         `json:"occurredAt"`
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
	ids, err := in.userIDs()
	if err != nil {
		return err
	}
	if m.TargetUserIds = ids; len(ids) <= field.MaxTargets {
		r.NameUsers(ids, func(usernames []string) error { return nameTargets(m, ids, usernames) })
	}
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
	r.More(time.Duration(max(len(m.TargetUsernames), len(m.TargetUserIds))) * perTarget)
	return nil
}

// nameTargets puts usernames in the place of ids, where faults still have the name of the ids.
func nameTargets(m *messagev1.PushMessageRequest, ids, usernames []string) error {
	for i, username := range usernames {
		if username == "" && ids[i] != "" { // the name of the entry is only made when it is needed
			return rest.KnownUser(fmt.Sprintf("target user ids[%d]", i), ids[i], username)
		}
	}
	m.TargetUserIds = usernames
	return nil
}

// userIDs gives the targets where they are named by ids. These are looked at only where usernames are absent
// or null: a client may have sent anything by that name before there were ids.
func (in *PushBody) userIDs() (ids targetList, err error) {
	if in.TargetUsernames != nil || len(in.TargetUserIDs) == 0 {
		return nil, nil
	}
	if json.Unmarshal(in.TargetUserIDs, &ids) != nil {
		return nil, errors.New("targetUserIds must be an array of strings")
	}
	return ids, nil
}
