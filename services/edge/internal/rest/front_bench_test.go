package rest_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// discard is a connection that takes everything.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

func (d discard) SetReadDeadline(time.Time) error  { return nil }
func (d discard) SetWriteDeadline(time.Time) error { return nil }

// quiet logs what a service in use does: no success.
func quiet(d *rest.Deps) { d.Logger = slog.New(slog.DiscardHandler) }

// BenchmarkList is a list of 20 todos through the whole front, without a network and a hub.
func BenchmarkList(b *testing.B) {
	f := newFront(b, quiet)
	page := &todov1.ListTodosResponse{Size: 20, TotalCount: 12345}
	for range 20 {
		page.Todos = append(page.Todos, aTodo())
	}
	f.hub.reply = page
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/todo-hub/todos?assigneeUsername=amy&status=OPEN&size=20", nil)
	r.Header.Set("Authorization", "Bearer good")
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(discard{http.Header{}}, r)
	}
}

// BenchmarkUpsert is a todo that is reported through the whole front, without a network and a hub.
func BenchmarkUpsert(b *testing.B) {
	f := newFront(b, quiet)
	f.hub.reply = &todov1.UpsertTodoResponse{Todo: aTodo()}
	const body = `{"todoId":"T1","type":"HANDLE","sourceBizId":"B1","assigneeUsername":"amy","title":"Ti","category":"Ca","actionUrl":"/a"}`
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/todo-hub/todos", nil)
	r.Header.Set("Authorization", "Bearer good")
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(body))
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(strings.NewReader(body))
		f.ServeHTTP(discard{http.Header{}}, r)
	}
}

// BenchmarkCountUnread is the smallest answer, and so shows what the front itself costs.
func BenchmarkCountUnread(b *testing.B) {
	f := newFront(b, quiet)
	f.hub.reply = &messagev1.CountUnreadResponse{Count: 7}
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/message-hub/unread-count?username=amy", nil)
	r.Header.Set("Authorization", "Bearer good")
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(discard{http.Header{}}, r)
	}
}
