package grpcapi

import (
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/pbwire"
	"example.com/hub/services/messagehub/internal/inbox"
)

// withMessages sets field 1 of an answer, which is many hub.message.v1.InboxMessage.
func withMessages[M proto.Message](answer M, records []inbox.Record) M {
	pbwire.SetRecords(answer, 1, records, appendMessage)
	return answer
}

// appendMessage appends the fields of a hub.message.v1.InboxMessage.
func appendMessage(b []byte, r *inbox.Record) []byte {
	b = pbwire.String(b, 1, r.ID)
	b = pbwire.String(b, 2, r.Username)
	b = pbwire.String(b, 3, r.SourceAppID)
	b = pbwire.String(b, 4, r.SourceMessageID)
	b = pbwire.String(b, 5, r.Title)
	b = pbwire.String(b, 6, r.Content)
	b = pbwire.String(b, 7, r.Category)
	for _, a := range r.Actions {
		b = pbwire.Message(b, 8, func(b []byte) []byte {
			return pbwire.String(pbwire.String(b, 1, a.Label), 2, a.URL)
		})
	}
	b = pbwire.Int(b, 9, int64(r.Status))
	b = pbwire.Time(b, 10, r.OccurredAt)
	b = pbwire.OptionalTime(b, 11, r.ReadAt)
	b = pbwire.Time(b, 12, r.CreateTime)
	b = pbwire.Time(b, 13, r.ModifyTime)
	b = pbwire.String(b, 14, r.CreatorID)
	return pbwire.String(b, 15, r.ModifierID)
}
