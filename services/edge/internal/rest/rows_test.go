package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/message"
)

// slowClient takes no byte of its answer until it is let go.
type slowClient struct {
	*httptest.ResponseRecorder
	held <-chan struct{}
}

func (c slowClient) Write(b []byte) (int, error) {
	<-c.held
	return c.ResponseRecorder.Write(b)
}

// begin sends a request whose answer is to be held up, and waits until it is. The end lets it go and
// checks that it was answered.
func (f *front) begin(t *testing.T, w http.ResponseWriter, recorder *httptest.ResponseRecorder, target string, held chan struct{}) (end func()) {
	t.Helper()
	go func() {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		r.Header.Set("Authorization", "Bearer good")
		f.ServeHTTP(w, r)
	}()
	synctest.Wait()
	return func() {
		t.Helper()
		close(held)
		synctest.Wait()
		if recorder.Code != http.StatusOK {
			t.Errorf("the first was answered with %d", recorder.Code)
		}
		// The whole budget was given back.
		if w := f.send(t, http.MethodGet, "/message-hub/inbox?size=200", ""); w.Code != http.StatusOK {
			t.Errorf("later status %d", w.Code)
		}
	}
}

// Until its answer is there, a list reserves memory for the largest records.
func TestListsUnderWayAreBounded(t *testing.T) {
	tests := map[string]struct {
		records       int64 // of the largest size, in the budget
		first, second string
		status        int
	}{
		"both fit":               {250, "/message-hub/inbox?size=150", "/message-hub/inbox?size=100", 200},
		"the second does not":    {250, "/message-hub/inbox?size=150", "/message-hub/inbox?size=101", 503},
		"the default size is 20": {220, "/message-hub/inbox?size=200", "/message-hub/inbox", 200},
		"and not 19":             {219, "/message-hub/inbox?size=200", "/message-hub/inbox", 503},
		"sizes are cut to 200":   {250, "/message-hub/inbox?size=99999999999999999999", "/message-hub/inbox?size=50", 200},
		"a wrong size counts 1":  {201, "/message-hub/inbox?size=200", "/message-hub/inbox?size=-1", 200},
		"todos are smaller":      {238, "/todo-hub/todos?size=200", "/message-hub/inbox?size=200", 200},
		"and not nothing":        {237, "/todo-hub/todos?size=200", "/message-hub/inbox?size=200", 503},
		"calls without records":  {200, "/message-hub/inbox?size=200", "/message-hub/unread-count?username=amy", 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) { d.MaxListMemory = tt.records * message.MaxRecord })
				held, calls := make(chan struct{}), 0
				f.hub.before = func(context.Context) {
					if calls++; calls == 1 {
						<-held
					}
				}
				first := httptest.NewRecorder()
				end := f.begin(t, first, first, tt.first, held)
				// Where the budget is used up, this waits for the deadline of its call.
				if w := f.send(t, http.MethodGet, tt.second, ""); w.Code != tt.status {
					t.Errorf("status %d, want %d: %s", w.Code, tt.status, w.Body)
				}
				end()
			})
		})
	}
}

// inboxOf is a page of messages with this many bytes of content each.
func inboxOf(messages, bytes int) *messagev1.ListInboxResponse {
	page := &messagev1.ListInboxResponse{Size: 200}
	for range messages {
		page.Messages = append(page.Messages, &messagev1.InboxMessage{Content: strings.Repeat("x", bytes)})
	}
	return page
}

// Then it keeps its own size, until a slow client has read it.
func TestAnswersOfSlowClientsAreBounded(t *testing.T) {
	tests := map[string]struct {
		records int64
		reply   proto.Message
		second  string
		status  int
	}{
		"small":               {203, inboxOf(150, 1<<10), "/message-hub/inbox?size=200", 200},
		"large":               {220, inboxOf(100, 64<<10), "/message-hub/inbox?size=200", 503},
		"large, and both fit": {220, inboxOf(100, 64<<10), "/message-hub/inbox?size=150", 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) { d.MaxListMemory = tt.records * message.MaxRecord })
				f.hub.reply = tt.reply
				held := make(chan struct{})
				first := slowClient{httptest.NewRecorder(), held}
				end := f.begin(t, first, first.ResponseRecorder, "/message-hub/inbox?size=200", held)
				f.hub.reply = nil
				if w := f.send(t, http.MethodGet, tt.second, ""); w.Code != tt.status {
					t.Errorf("status %d, want %d: %s", w.Code, tt.status, w.Body)
				}
				end()
			})
		})
	}
}
