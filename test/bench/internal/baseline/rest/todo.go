// Package rest is the plain way to serve todos: net/http, a database driver and encoding/json, with
// nothing between them: no token, no validation, no second service.
package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"net/url"
	"strconv"
	"time"

	"example.com/hub/test/bench/internal/baseline/process"
)

// Item is a todo as the contract shows it.
type Item struct {
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
	ActionAppID       string     `json:"actionAppId"`
	DueAt             *time.Time `json:"dueAt"`
	Status            string     `json:"status"`
	Result            string     `json:"result"`
	ClearedAt         *time.Time `json:"clearedAt"`
	ClearedBy         string     `json:"clearedBy"`
	Reason            string     `json:"reason"`
	CreateTime        string     `json:"createTime"`
	ModifyTime        string     `json:"modifyTime"`
	Creator           string     `json:"creator"`
	CreatorID         string     `json:"creatorId"`
	Modifier          string     `json:"modifier"`
	ModifierID        string     `json:"modifierId"`
	Delete            bool       `json:"delete"`
}

// Request is the body of an upsert.
type Request struct {
	TodoID            string     `json:"todoId"`
	Type              string     `json:"type"`
	SourceBizID       string     `json:"sourceBizId"`
	AssigneeUsername  string     `json:"assigneeUsername"`
	InitiatorUsername string     `json:"initiatorUsername"`
	Title             string     `json:"title"`
	Summary           string     `json:"summary"`
	Category          string     `json:"category"`
	ActionURL         string     `json:"actionUrl"`
	DueAt             *time.Time `json:"dueAt"`
}

// Query is what a list asks for.
type Query struct {
	Assignee      string
	Status, Type  int
	Limit, Offset int64
}

// Store is a database.
type Store interface {
	List(ctx context.Context, q Query) ([]Item, int64, error)
	Upsert(ctx context.Context, r Request) (Item, error)
}

var (
	types    = []string{"", "HANDLE", "REVIEW"}
	statuses = []string{"", "OPEN", "CLEARED", "INVALID"}
)

// number is the place of a word, or 1 for an empty one.
func number(words []string, word string) int {
	for i, w := range words {
		if w == word && i > 0 {
			return i
		}
	}
	return 1
}

type envelope struct {
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data"`
}

type pagedEnvelope struct {
	envelope
	Page struct {
		Page       int64 `json:"page"`
		TotalCount int64 `json:"totalCount"`
		TotalPages int64 `json:"totalPages"`
		Size       int64 `json:"size"`
	} `json:"page"`
	Count int `json:"count"`
}

// Handler serves the list and the upsert.
func Handler(s Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /todo-hub/todos", func(w http.ResponseWriter, r *http.Request) {
		body, err := list(r.Context(), s, r.URL.Query())
		process.Answer(w, body, err)
	})
	mux.HandleFunc("POST /todo-hub/todos", func(w http.ResponseWriter, r *http.Request) {
		var request Request
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			process.Answer(w, nil, err)
			return
		}
		item, err := s.Upsert(r.Context(), request)
		if err != nil {
			process.Answer(w, nil, err)
			return
		}
		body, err := json.Marshal(envelope{"0", "ok", item})
		process.Answer(w, body, err)
	})
	return mux
}

func list(ctx context.Context, s Store, values url.Values) ([]byte, error) {
	size := int64(20)
	if text := values.Get("size"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, err
		}
		size = n
	}
	items, total, err := s.List(ctx, Query{
		Assignee: values.Get("assigneeUsername"),
		Status:   number(statuses, values.Get("status")), Type: number(types, values.Get("type")),
		Limit: size,
	})
	if err != nil {
		return nil, err
	}
	var answer pagedEnvelope
	answer.envelope = envelope{"0", "ok", items}
	answer.Page.Page, answer.Page.Size = 1, size
	answer.Page.TotalCount, answer.Page.TotalPages = total, (total+size-1)/size
	answer.Count = len(items)
	return json.Marshal(answer)
}

// auditTime is the form of createTime and modifyTime.
func auditTime(t time.Time) string { return t.UTC().Format(time.DateTime) }
