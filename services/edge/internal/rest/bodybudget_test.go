package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
)

// TestListsCostWhatTheirBodyDoes sends bodies that are nothing but entries of a list.
func TestListsCostWhatTheirBodyDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		entry string
		want  int
		count func(*messagev1.PushMessageRequest) int
	}{
		"actions":         {"{}", field.MaxActions + 1, func(m *messagev1.PushMessageRequest) int { return len(m.GetActions()) }},
		"targetUsernames": {`""`, field.MaxTargets + 1, func(m *messagev1.PushMessageRequest) int { return len(m.GetTargetUsernames()) }},
		"targetUserIds":   {`""`, field.MaxTargets + 1, func(m *messagev1.PushMessageRequest) int { return len(m.GetTargetUserIds()) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			body := fmt.Sprintf(`{"%s":[%s%s]}`, name, strings.Repeat(tt.entry+",", 1_390_000), tt.entry)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := f.send(t, http.MethodPost, "/message-hub/messages", body)
			runtime.ReadMemStats(&after)
			if w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			if sent, _ := f.hub.request.(*messagev1.PushMessageRequest); tt.count(sent) != tt.want {
				t.Errorf("the hub gets %d entries, want %d", tt.count(sent), tt.want)
			}
			if cost := (after.TotalAlloc - before.TotalAlloc) / uint64(len(body)); cost > 8 {
				t.Errorf("the body costs %d times its size", cost)
			}
		})
	}
}

// TestEntriesPastTheLimitAreStillJSON has the fault of the whole body before that of the number.
func TestEntriesPastTheLimitAreStillJSON(t *testing.T) {
	f := newFront(t)
	entries := strings.Repeat("{},", field.MaxActions+1)
	for body, msg := range map[string]string{
		`{"actions":[` + entries + `{]}`:                 "the request body is not valid JSON at byte 76",
		`{"actions":[` + entries + `{"a":1,"a":2}]}`:     "the request body is not valid JSON: a name stands twice at byte 82",
		`{"actions":[` + entries + `{}],"title":5}`:      "title must be a string",
		`{"actions":[` + entries + `{}`:                  "the request body is not valid JSON at byte 77",
		`{"actions":[` + entries[3:] + `5]}`:             "actions[20] must be an object",
		`{"targetUsernames":["a",5],"actions":[` + `5]}`: "targetUsernames[1] must be a string",
	} {
		wantMessage(t, f.send(t, http.MethodPost, "/message-hub/messages", body), http.StatusBadRequest, msg)
	}
}

// upload is a body that comes when the test wants.
type upload struct {
	*io.PipeWriter
	done chan *httptest.ResponseRecorder
}

// upload sends a request whose body has length bytes, -1 for one that does not tell.
func (f *front) upload(t *testing.T, length int) *upload {
	t.Helper()
	body, w := io.Pipe()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/todo-hub/todos", body)
	r.ContentLength = int64(length)
	r.Header.Set("Authorization", "Bearer good")
	u := &upload{w, make(chan *httptest.ResponseRecorder, 1)}
	go func() {
		answer := httptest.NewRecorder()
		f.ServeHTTP(answer, r)
		_ = body.Close()
		u.done <- answer
	}()
	return u
}

// write returns when the bytes were read.
func (u *upload) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(u, text); err != nil {
		t.Fatal(err)
	}
}

// end sends what is left and gives the answer.
func (u *upload) end(t *testing.T, text string) *httptest.ResponseRecorder {
	t.Helper()
	u.write(t, text)
	_ = u.Close()
	return <-u.done
}

func TestBodiesUnderWayAreBounded(t *testing.T) {
	const size = 64 << 10
	whole := "{" + strings.Repeat(" ", size-2) + "}"
	for name, length := range map[string]int{"announced": size, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) { d.MaxBody, d.MaxBodyMemory = size, rest.BodyWeight*size })
				first := f.upload(t, length)
				first.write(t, whole[:size-1])

				began := time.Now()
				w := f.send(t, http.MethodPost, "/todo-hub/todos", whole)
				wantMessage(t, w, http.StatusServiceUnavailable, "the service is not available, try again later")
				wantHeader(t, w, "Retry-After", "1")
				wantHeader(t, w, "Connection", "close")
				if waited := time.Since(began); waited != 5*time.Second {
					t.Errorf("it waited for %v, want the time of a call", waited)
				}
				small := "{" + strings.Repeat(" ", 16<<10-2) + "}"
				if w := f.send(t, http.MethodPost, "/todo-hub/todos", small); w.Code != http.StatusOK {
					t.Errorf("a small body is answered with %d", w.Code)
				}

				// One that waits goes on when the budget allows it again.
				second := make(chan *httptest.ResponseRecorder, 1)
				go func() { second <- f.upload(t, length).end(t, whole) }()
				synctest.Wait()
				if w := first.end(t, "}"); w.Code != http.StatusOK {
					t.Errorf("the first body: %d %s", w.Code, w.Body)
				}
				if w := <-second; w.Code != http.StatusOK {
					t.Errorf("the body that waited: %d %s", w.Code, w.Body)
				}
			})
		})
	}
}

// TestBodiesDoNotWaitForEachOther has two bodies come side by side where there is memory for one.
func TestBodiesDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, part = 64 << 10, 20 << 10
		whole := "{" + strings.Repeat(" ", size-2) + "}"
		f := newFront(t, func(d *rest.Deps) { d.MaxBody, d.MaxBodyMemory = size, rest.BodyWeight*size })
		first := f.upload(t, size)
		first.write(t, whole[:part])
		second := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			u := f.upload(t, size)
			u.write(t, whole[:part])
			second <- u.end(t, whole[part:])
		}()
		synctest.Wait()
		for name, w := range map[string]*httptest.ResponseRecorder{"first": first.end(t, whole[part:]), "second": <-second} {
			if w.Code != http.StatusOK {
				t.Errorf("the %s body is answered with %d: %s", name, w.Code, w.Body)
			}
		}
	})
}

// TestAnnouncedBodiesReserveNothing has clients that announce large bodies and send nothing.
func TestAnnouncedBodiesReserveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(t) // the budget is for four bodies of the largest size
		var idle []*upload
		for range 40 {
			idle = append(idle, f.upload(t, 4<<20))
		}
		synctest.Wait()
		body := "{" + strings.Repeat(" ", 3<<20) + "}"
		if w := f.send(t, http.MethodPost, "/todo-hub/todos", body); w.Code != http.StatusOK {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		for _, u := range idle {
			_ = u.CloseWithError(io.ErrUnexpectedEOF)
			<-u.done
		}
	})
}

// TestBudgetOfBodiesIsGivenBack sends far more than the budget, one body after the other.
func TestBudgetOfBodiesIsGivenBack(t *testing.T) {
	const size = 64 << 10
	f := newFront(t, func(d *rest.Deps) { d.MaxBody, d.MaxBodyMemory = size, rest.BodyWeight*size })
	object := "{" + strings.Repeat(" ", size-2) + "}"
	for range 3 {
		for body, status := range map[string]int{object: 200, "[" + object[1:]: 400, object + " ": 413} {
			if w := f.send(t, http.MethodPost, "/todo-hub/todos", body); w.Code != status {
				t.Errorf("status %d, want %d: %s", w.Code, status, w.Body)
			}
		}
	}
}
