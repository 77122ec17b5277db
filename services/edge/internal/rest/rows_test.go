package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"example.com/hub/services/edge/internal/rest"
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

// A list holds its rows until its answer is written; here 250 fit.
func TestRowsInFlightAreBounded(t *testing.T) {
	tests := map[string]struct {
		first, second string
		status        int
	}{
		"room for both":          {"/todo-hub/todos?size=150", "/message-hub/inbox?size=100", 200},
		"no room":                {"/todo-hub/todos?size=150", "/message-hub/inbox?size=101", 503},
		"the default size is 20": {"/message-hub/inbox?size=200", "/todo-hub/todos", 200},
		"and not 51":             {"/message-hub/inbox?size=200", "/todo-hub/todos?size=51", 503},
		"sizes are cut to 200":   {"/todo-hub/todos?size=99999999999999999999", "/todo-hub/todos?size=50", 200},
		"a wrong size counts 1":  {"/todo-hub/todos?size=200", "/todo-hub/todos?size=-1", 200},
		"calls without rows":     {"/todo-hub/todos?size=200", "/message-hub/unread-count?username=amy", 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) { d.MaxRows = 250 })
				held := make(chan struct{})
				first := slowClient{httptest.NewRecorder(), held}
				go func() {
					r := httptest.NewRequestWithContext(t.Context(), "GET", tt.first, nil)
					r.Header.Set("Authorization", "Bearer good")
					f.ServeHTTP(first, r)
				}()
				synctest.Wait()
				// Where there is no room, this waits for the deadline of its call.
				if w := f.send(t, "GET", tt.second, ""); w.Code != tt.status {
					t.Errorf("status %d, want %d: %s", w.Code, tt.status, w.Body)
				}
				close(held)
				synctest.Wait()
				if first.Code != http.StatusOK {
					t.Errorf("the first was answered with %d", first.Code)
				}
				// All room was given back.
				if w := f.send(t, "GET", "/todo-hub/todos?size=200", ""); w.Code != http.StatusOK {
					t.Errorf("later status %d", w.Code)
				}
			})
		})
	}
}
