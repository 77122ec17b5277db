package rest

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// todoItem is a TodoItem of the contract. Every field is always there.
type todoItem struct {
	ID                string  `json:"id"`
	Type              string  `json:"type"`
	SourceSystem      string  `json:"sourceSystem"`
	SourceBizID       string  `json:"sourceBizId"`
	AssigneeUsername  string  `json:"assigneeUsername"`
	InitiatorUsername string  `json:"initiatorUsername"`
	Title             string  `json:"title"`
	Summary           string  `json:"summary"`
	Category          string  `json:"category"`
	ActionURL         string  `json:"actionUrl"`
	ActionAppID       string  `json:"actionAppId"`
	DueAt             instant `json:"dueAt"`
	Status            string  `json:"status"`
	Result            string  `json:"result"`
	ClearedAt         instant `json:"clearedAt"`
	ClearedBy         string  `json:"clearedBy"`
	Reason            string  `json:"reason"`
	audit
}

func todoItemOf(t *todov1.Todo, zone *time.Location) todoItem {
	return todoItem{
		ID:                t.GetId(),
		Type:              todoTypes.word(t.GetType()),
		SourceSystem:      t.GetSourceSystem(),
		SourceBizID:       t.GetSourceBizId(),
		AssigneeUsername:  t.GetAssigneeUsername(),
		InitiatorUsername: t.GetInitiatorUsername(),
		Title:             t.GetTitle(),
		Summary:           t.GetSummary(),
		Category:          t.GetCategory(),
		ActionURL:         t.GetActionUrl(),
		ActionAppID:       t.GetActionAppId(),
		DueAt:             instantOf(t.GetDueAt()),
		Status:            todoStatuses.word(t.GetStatus()),
		Result:            t.GetResult(),
		ClearedAt:         instantOf(t.GetClearedAt()),
		ClearedBy:         t.GetClearedBy(),
		Reason:            t.GetReason(),
		audit:             auditOf(t, zone),
	}
}

func (t *todoItem) appendJSON(b []byte) []byte {
	b = appendText(b, `{"id":`, t.ID)
	b = appendText(b, `,"type":`, t.Type)
	b = appendText(b, `,"sourceSystem":`, t.SourceSystem)
	b = appendText(b, `,"sourceBizId":`, t.SourceBizID)
	b = appendText(b, `,"assigneeUsername":`, t.AssigneeUsername)
	b = appendText(b, `,"initiatorUsername":`, t.InitiatorUsername)
	b = appendText(b, `,"title":`, t.Title)
	b = appendText(b, `,"summary":`, t.Summary)
	b = appendText(b, `,"category":`, t.Category)
	b = appendText(b, `,"actionUrl":`, t.ActionURL)
	b = appendText(b, `,"actionAppId":`, t.ActionAppID)
	b = appendInstant(b, `,"dueAt":`, t.DueAt)
	b = appendText(b, `,"status":`, t.Status)
	b = appendText(b, `,"result":`, t.Result)
	b = appendInstant(b, `,"clearedAt":`, t.ClearedAt)
	b = appendText(b, `,"clearedBy":`, t.ClearedBy)
	b = appendText(b, `,"reason":`, t.Reason)
	b = t.audit.appendJSON(b)
	return append(b, '}')
}

// audit are the audit fields of both records (contract, Common conventions). A client has no other
// name than its id, and nothing is ever deleted.
type audit struct {
	CreateTime auditTime `json:"createTime"`
	ModifyTime auditTime `json:"modifyTime"`
	Creator    string    `json:"creator"`
	CreatorID  string    `json:"creatorId"`
	Modifier   string    `json:"modifier"`
	ModifierID string    `json:"modifierId"`
	Delete     bool      `json:"delete"`
}

// audited is a record of either hub.
type audited interface {
	GetCreateTime() *timestamppb.Timestamp
	GetModifyTime() *timestamppb.Timestamp
	GetCreatorId() string
	GetModifierId() string
}

func auditOf(record audited, zone *time.Location) audit {
	return audit{
		CreateTime: auditTimeOf(record.GetCreateTime(), zone),
		ModifyTime: auditTimeOf(record.GetModifyTime(), zone),
		Creator:    record.GetCreatorId(),
		CreatorID:  record.GetCreatorId(),
		Modifier:   record.GetModifierId(),
		ModifierID: record.GetModifierId(),
	}
}

// appendJSON appends the members without braces.
func (a *audit) appendJSON(b []byte) []byte {
	b = appendAuditTime(b, `,"createTime":`, a.CreateTime)
	b = appendAuditTime(b, `,"modifyTime":`, a.ModifyTime)
	b = appendText(b, `,"creator":`, a.Creator)
	b = appendText(b, `,"creatorId":`, a.CreatorID)
	b = appendText(b, `,"modifier":`, a.Modifier)
	b = appendText(b, `,"modifierId":`, a.ModifierID)
	b = append(b, `,"delete":`...)
	return strconv.AppendBool(b, a.Delete)
}

// inboxMessage is an InboxMessage of the contract. Every field is always there.
type inboxMessage struct {
	ID              string          `json:"id"`
	Username        string          `json:"username"`
	SourceAppID     string          `json:"sourceAppId"`
	SourceMessageID string          `json:"sourceMessageId"`
	IdempotencyKey  string          `json:"idempotencyKey"`
	Title           string          `json:"title"`
	Content         string          `json:"content"`
	Category        string          `json:"category"`
	Actions         []messageAction `json:"actions"`
	Status          string          `json:"status"`
	OccurredAt      instant         `json:"occurredAt"`
	ReadAt          instant         `json:"readAt"`
	audit
}

// messageAction is a MessageAction of the contract, in requests and in answers.
type messageAction struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// idempotencyKey names a message of a user (contract, InboxMessage).
func idempotencyKey(sourceAppID, sourceMessageID, username string) string {
	return sourceAppID + ":" + sourceMessageID + ":" + username
}

func inboxMessageOf(m *messagev1.InboxMessage, zone *time.Location) inboxMessage {
	actions := make([]messageAction, len(m.GetActions()))
	for i, a := range m.GetActions() {
		actions[i] = messageAction{a.GetLabel(), a.GetUrl()}
	}
	return inboxMessage{
		ID:              m.GetId(),
		Username:        m.GetUsername(),
		SourceAppID:     m.GetSourceAppId(),
		SourceMessageID: m.GetSourceMessageId(),
		IdempotencyKey:  idempotencyKey(m.GetSourceAppId(), m.GetSourceMessageId(), m.GetUsername()),
		Title:           m.GetTitle(),
		Content:         m.GetContent(),
		Category:        m.GetCategory(),
		Actions:         actions,
		Status:          messageStatuses.word(m.GetStatus()),
		OccurredAt:      instantOf(m.GetOccurredAt()),
		ReadAt:          instantOf(m.GetReadAt()),
		audit:           auditOf(m, zone),
	}
}

func (m *inboxMessage) appendJSON(b []byte) []byte {
	b = appendText(b, `{"id":`, m.ID)
	b = appendText(b, `,"username":`, m.Username)
	b = appendText(b, `,"sourceAppId":`, m.SourceAppID)
	b = appendText(b, `,"sourceMessageId":`, m.SourceMessageID)
	b = appendText(b, `,"idempotencyKey":`, m.IdempotencyKey)
	b = appendText(b, `,"title":`, m.Title)
	b = appendText(b, `,"content":`, m.Content)
	b = appendText(b, `,"category":`, m.Category)
	b = append(b, `,"actions":[`...)
	for i, a := range m.Actions {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, `{"label":`, a.Label)
		b = appendText(b, `,"url":`, a.URL)
		b = append(b, '}')
	}
	b = append(b, ']')
	b = appendText(b, `,"status":`, m.Status)
	b = appendInstant(b, `,"occurredAt":`, m.OccurredAt)
	b = appendInstant(b, `,"readAt":`, m.ReadAt)
	b = m.audit.appendJSON(b)
	return append(b, '}')
}
