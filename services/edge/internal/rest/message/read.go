package message

import (
	"time"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// sortFields are the fields that an inbox can be ordered by.
var sortFields = shape.Words[messagev1.InboxSortField]{
	"", "occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id",
}

func readInbox(r *rest.Request, m *messagev1.ListInboxRequest) error {
	m.PageToken = r.Cursor()
	m.Username = r.Username("username", "username")
	m.Status = statuses.Parse(r.Text("status"), r.Extended())
	m.SourceAppId = r.Text("sourceAppId")
	m.SourceMessageId = r.Text("sourceMessageId")
	m.Page, m.Size = r.Page()
	if field, descending, ok := rest.Sort(r, sortFields); ok {
		m.Sort = &messagev1.InboxSort{Field: field, Descending: descending}
	}
	return nil
}

func readCount(r *rest.Request, m *messagev1.CountUnreadRequest) error {
	if username := r.Username("username", "username"); username != nil {
		m.Username = *username
	}
	return nil
}

func readMark(r *rest.Request, m *messagev1.MarkReadRequest) error {
	if username := r.Username("username", "username"); username != nil {
		m.Username = *username
	}
	return nil
}

// ReadAllBody is the body of POST /message-hub/inbox/read-all.
type ReadAllBody struct {
	Username    *string `json:"username"`
	UpTo        string  `json:"upTo"`
	SourceAppID string  `json:"sourceAppId"`
	Category    string  `json:"category"`
}

// moreForAll is what a read-all gets on top of the call timeout, for some 100,000 records.
const moreForAll = 5 * time.Second

func readMarkAll(r *rest.Request, m *messagev1.MarkAllReadRequest) error {
	in, err := rest.Body[ReadAllBody](r)
	if err != nil {
		return err
	}
	username, err := r.Self("username", in.Username)
	if err != nil {
		return err
	}
	if username != nil {
		m.Username = *username
	}
	m.UpTo = in.UpTo
	m.SourceAppId = in.SourceAppID
	m.Category = in.Category
	r.More(moreForAll)
	return nil
}
