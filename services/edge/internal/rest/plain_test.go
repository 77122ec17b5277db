package rest_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
)

// The answers as plain structs that encoding/json writes by itself are the baseline of the benchmarks.
// They are also what the answers of the edge are held to.

type plainTodo struct {
	ID                string     `json:"id"`
	Type              string     `json:"type"`
	SourceSystem      string     `json:"sourceSystem"`
	SourceBizID       string     `json:"sourceBizId"`
	AssigneeUsername  string     `json:"assigneeUsername"`
	InitiatorUsername string     `json:"initiatorUsername"`
	Title             string     `json:"title"`
	Summary           string     `json:"summary"`
	Category          string     `json:"category"`
	ActionURL         string     `json:"actionUrl"`
	ActionAppID       string     `json:"actionAppId"` // empty in the answers of the contract
	DueAt             *time.Time `json:"dueAt"`
	Status            string     `json:"status"`
	Result            string     `json:"result"`
	ClearedAt         *time.Time `json:"clearedAt"`
	ClearedBy         string     `json:"clearedBy"`
	Reason            string     `json:"reason"`
	plainAudit
}

type plainAudit struct {
	CreateTime string `json:"createTime"`
	ModifyTime string `json:"modifyTime"`
	Creator    string `json:"creator"`
	CreatorID  string `json:"creatorId"`
	Modifier   string `json:"modifier"`
	ModifierID string `json:"modifierId"`
	Delete     bool   `json:"delete"`
}

func plainTodoOf(t *todov1.Todo, zone *time.Location) plainTodo {
	return plainTodo{
		ID:                t.GetId(),
		Type:              map[todov1.TodoType]string{1: "HANDLE", 2: "REVIEW"}[t.GetType()],
		SourceSystem:      t.GetSourceSystem(),
		SourceBizID:       t.GetSourceBizId(),
		AssigneeUsername:  t.GetAssigneeUsername(),
		InitiatorUsername: t.GetInitiatorUsername(),
		Title:             t.GetTitle(),
		Summary:           t.GetSummary(),
		Category:          t.GetCategory(),
		ActionURL:         t.GetActionUrl(),
		DueAt:             plainInstant(t.GetDueAt()),
		Status:            map[todov1.TodoStatus]string{1: "OPEN", 2: "CLEARED", 3: "INVALID"}[t.GetStatus()],
		Result:            t.GetResult(),
		ClearedAt:         plainInstant(t.GetClearedAt()),
		ClearedBy:         t.GetClearedBy(),
		Reason:            t.GetReason(),
		plainAudit:        plainAuditOf(t, zone),
	}
}

// audited is a record of either hub.
type audited interface {
	GetCreateTime() *timestamppb.Timestamp
	GetModifyTime() *timestamppb.Timestamp
	GetCreatorId() string
	GetModifierId() string
}

func plainAuditOf(r audited, zone *time.Location) plainAudit {
	return plainAudit{
		CreateTime: r.GetCreateTime().AsTime().In(zone).Format(time.DateTime),
		ModifyTime: r.GetModifyTime().AsTime().In(zone).Format(time.DateTime),
		Creator:    r.GetCreatorId(),
		CreatorID:  r.GetCreatorId(),
		Modifier:   r.GetModifierId(),
		ModifierID: r.GetModifierId(),
	}
}

type plainMessage struct {
	ID              string        `json:"id"`
	Username        string        `json:"username"`
	SourceAppID     string        `json:"sourceAppId"`
	SourceMessageID string        `json:"sourceMessageId"`
	IdempotencyKey  string        `json:"idempotencyKey"`
	Title           string        `json:"title"`
	Content         string        `json:"content"`
	Category        string        `json:"category"`
	Actions         []plainAction `json:"actions"`
	Status          string        `json:"status"`
	OccurredAt      *time.Time    `json:"occurredAt"`
	ReadAt          *time.Time    `json:"readAt"`
	plainAudit
}

type plainAction struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

func plainMessageOf(m *messagev1.InboxMessage, zone *time.Location) plainMessage {
	actions := make([]plainAction, len(m.GetActions()))
	for i, a := range m.GetActions() {
		actions[i] = plainAction{a.GetLabel(), a.GetUrl()}
	}
	return plainMessage{
		ID:              m.GetId(),
		Username:        m.GetUsername(),
		SourceAppID:     m.GetSourceAppId(),
		SourceMessageID: m.GetSourceMessageId(),
		IdempotencyKey:  m.GetSourceAppId() + ":" + m.GetSourceMessageId() + ":" + m.GetUsername(),
		Title:           m.GetTitle(),
		Content:         m.GetContent(),
		Category:        m.GetCategory(),
		Actions:         actions,
		Status:          map[messagev1.MessageStatus]string{1: "UNREAD", 2: "READ"}[m.GetStatus()],
		OccurredAt:      plainInstant(m.GetOccurredAt()),
		ReadAt:          plainInstant(m.GetReadAt()),
		plainAudit:      plainAuditOf(m, zone),
	}
}

func plainInstant(ts *timestamppb.Timestamp) *time.Time {
	if ts == nil {
		return nil
	}
	t := ts.AsTime().Truncate(time.Microsecond)
	return &t
}

type plainEnvelope struct {
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data"`
}

type plainList struct {
	plainEnvelope
	Page struct {
		Page       int64 `json:"page"`
		TotalCount int64 `json:"totalCount"`
		TotalPages int64 `json:"totalPages"`
		Size       int64 `json:"size"`
	} `json:"page"`
	Count int `json:"count"`
}

// paged is a list answer of either hub.
type paged interface {
	GetPage() int64
	GetSize() int64
	GetTotalCount() int64
}

func plainPage[R, T any](p paged, rows []R, itemOf func(R, *time.Location) T, zone *time.Location) plainList {
	items := make([]T, len(rows))
	for i, row := range rows {
		items[i] = itemOf(row, zone)
	}
	list := plainList{plainEnvelope: plainEnvelope{"0", "ok", items}, Count: len(items)}
	list.Page.Page, list.Page.TotalCount, list.Page.Size = min(p.GetPage(), math.MaxInt64-1)+1, p.GetTotalCount(), p.GetSize()
	list.Page.TotalPages = p.GetTotalCount() / p.GetSize()
	if p.GetTotalCount()%p.GetSize() > 0 {
		list.Page.TotalPages++
	}
	return list
}

// TestBaselinesOfTheBenchmarksAnswerTheSame keeps the comparison honest.
func TestBaselinesOfTheBenchmarksAnswerTheSame(t *testing.T) {
	todos, messages := todoPage(3), messagePage(3)
	upserted := &todov1.UpsertTodoResponse{Todo: todos.GetTodos()[0]}
	for _, tt := range []struct {
		name  string
		plain any
		sent  proto.Message
		write rest.Writer
	}{
		{"todos", plainPage(todos, todos.GetTodos(), plainTodoOf, time.UTC), todos, rest.List(todo.Item)},
		{"messages", plainPage(messages, messages.GetMessages(), plainMessageOf, time.UTC), messages, rest.List(message.InboxMessage)},
		{"todo", plainEnvelope{"0", "ok", plainTodoOf(upserted.GetTodo(), time.UTC)}, upserted, rest.Item(todo.Item)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want, err := json.Marshal(tt.plain)
			if err != nil {
				t.Fatal(err)
			}
			got, err := answered(t, wire(t, tt.sent), tt.sent, tt.write)()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want)+"\n", string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
