package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/services/edge/internal/front"
)

// Part is a GET request whose data becomes a member of an answer. It is null where nothing serves its path,
// and where it fails or takes longer than partTime; then it is also named as unavailable.
type Part struct{ Name, Path, Query string }

// partTime bounds each part of an answer.
const partTime = time.Second

// serveParts makes the requests at the same time, in the name of the caller. The answer is a success whatever
// becomes of them.
func (h *Handler) serveParts(w http.ResponseWriter, r *http.Request, _ map[string]string) {
	parts := exchangeOf(r.Context()).route.Parts
	answers := make([]*partAnswer, len(parts)) // nil where nothing serves the path
	id := w.Header()[requestid.Header]         // now, since w is not for concurrent use
	var under sync.WaitGroup
	for i, p := range parts {
		if h.serves(p.Path) {
			under.Go(func() { answers[i] = h.part(r, id, p) })
		}
	}
	under.Wait()
	var unavailable []string
	b := append([]byte(front.SuccessHead), '{')
	for i, p := range parts {
		data := json.RawMessage("null")
		switch a := answers[i]; {
		case a == nil:
		case a.data == nil:
			unavailable = append(unavailable, `"`+p.Name+`"`)
		default:
			data = a.data
		}
		b = append(append(b, `"`+p.Name+`":`...), data...)
		b = append(b, ',')
	}
	b = append(b, `"unavailable":[`+strings.Join(unavailable, ",")+"]}"...)
	passLimits(w, answers)
	front.Answer(w, append(b, front.SuccessTail...))
}

// passLimits passes on what a hub has said of the caller's limit.
func passLimits(w http.ResponseWriter, answers []*partAnswer) {
	for _, a := range answers {
		for _, field := range limitHeaders {
			if a != nil && a.header.Get(field.header) != "" {
				w.Header().Set(field.header, a.header.Get(field.header))
			}
		}
	}
}

// serves tells whether there is an endpoint for GET requests of a path.
func (h *Handler) serves(path string) bool {
	return slices.ContainsFunc(h.routes, func(r route) bool { return r.Method == http.MethodGet && r.Path == path })
}

// partAnswer is the answer to a part. It implements http.ResponseWriter.
type partAnswer struct {
	header http.Header
	body   []byte
	// data is nil where the part has failed.
	data json.RawMessage
}

// Header implements http.ResponseWriter.
func (a *partAnswer) Header() http.Header { return a.header }

// Write implements http.ResponseWriter.
func (a *partAnswer) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}

// WriteHeader implements http.ResponseWriter; the exchange keeps the status.
func (a *partAnswer) WriteHeader(int) {}

// part makes a request with what of the outer one says who calls, and nothing else.
func (h *Handler) part(r *http.Request, requestID []string, p Part) (a *partAnswer) {
	a = &partAnswer{header: http.Header{requestid.Header: requestID}}
	x := &exchange{Exchange: front.Exchange{ResponseWriter: a}, route: &h.unknown}
	defer x.free()
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), exchangeKey{}, x), partTime)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			h.logger.ErrorContext(ctx, "handler of a part panicked", "route", x.route.name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		}
	}()
	inner := r.WithContext(ctx)
	inner.URL = &url.URL{Path: p.Path, RawPath: p.Path, RawQuery: p.Query}
	inner.Header = http.Header{"Authorization": r.Header["Authorization"]}
	inner.Body, inner.ContentLength = http.NoBody, 0
	h.serve(x, inner)
	var answer struct{ Data json.RawMessage }
	if x.Status == http.StatusOK && json.Unmarshal(a.body, &answer) == nil {
		a.data = answer.Data
	}
	return a
}
