package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// envelope is the shape of every answer without paging (contract, Response envelope).
type envelope struct {
	Code string          `json:"code"`
	Msg  string          `json:"msg"`
	Data json.RawMessage `json:"data"`
}

// pagedEnvelope is the shape of the answer of every list.
type pagedEnvelope struct {
	Code  string            `json:"code"`
	Msg   string            `json:"msg"`
	Data  []json.RawMessage `json:"data"`
	Page  pageInfo          `json:"page"`
	Count int               `json:"count"`
}

// pageInfo says which page a list is.
type pageInfo struct {
	Page       int64 `json:"page"`
	TotalCount int64 `json:"totalCount"`
	TotalPages int64 `json:"totalPages"`
	Size       int64 `json:"size"`
}

// parseSuccess reads the envelope of a success and gives its data.
func parseSuccess(body []byte) (json.RawMessage, error) {
	e, err := decodeExact[envelope](body)
	if err != nil {
		return nil, err
	}
	if e.Code != "0" {
		return nil, fmt.Errorf("code is %q, want 0", e.Code)
	}
	return e.Data, nil
}

// parsePage reads the envelope of a list and checks that its numbers agree with each other.
func parsePage(body []byte) (pagedEnvelope, error) {
	e, err := decodeExact[pagedEnvelope](body)
	if err != nil {
		return e, err
	}
	if e.Code != "0" {
		return e, fmt.Errorf("code is %q, want 0", e.Code)
	}
	if e.Count != len(e.Data) {
		return e, fmt.Errorf("count is %d for %d entries", e.Count, len(e.Data))
	}
	p := e.Page
	if p.Page < 1 || p.Size < 1 || p.TotalCount < 0 || int64(e.Count) > p.Size {
		return e, fmt.Errorf("page is %+v with %d entries", p, e.Count)
	}
	if want := (p.TotalCount + p.Size - 1) / p.Size; p.TotalPages != want {
		return e, fmt.Errorf("totalPages is %d for %d records of %d per page, want %d", p.TotalPages, p.TotalCount, p.Size, want)
	}
	return e, nil
}

// parseFailure reads the envelope of a failure and gives its message.
func parseFailure(body []byte) (string, error) {
	e, err := decodeExact[envelope](body)
	if err != nil {
		return "", err
	}
	switch {
	case e.Code != "-1":
		return "", fmt.Errorf("code is %q, want -1", e.Code)
	case string(e.Data) != "null":
		return "", fmt.Errorf("data is %s, want null", e.Data)
	case strings.TrimSpace(e.Msg) == "":
		return "", errors.New("msg is empty")
	}
	return e.Msg, nil
}

// ok demands a success and gives its data.
func (a answer) ok(t *testing.T) json.RawMessage {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status is not 200: %s", a)
	}
	a.isJSON(t)
	data, err := parseSuccess(a.data)
	if err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return data
}

// okNull demands a success whose data is null.
func (a answer) okNull(t *testing.T) {
	t.Helper()
	if data := a.ok(t); string(data) != "null" {
		t.Fatalf("data is not null: %s", a)
	}
}

// page demands a list.
func (a answer) page(t *testing.T) pagedEnvelope {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status is not 200: %s", a)
	}
	a.isJSON(t)
	e, err := parsePage(a.data)
	if err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return e
}

// fails demands a failure of the status, as the target's settings show it, and gives the message.
func (a answer) fails(t *testing.T, status int) string {
	t.Helper()
	if want := a.s.failureStatus(status); a.status != want {
		t.Fatalf("status is not %d: %s", want, a)
	}
	if a.method == http.MethodHead {
		return ""
	}
	a.isJSON(t)
	msg, err := parseFailure(a.data)
	if err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	return msg
}

// failsNaming demands a 400 whose message names the field, in words or by its JSON name.
func (a answer) failsNaming(t *testing.T, field string) {
	t.Helper()
	if msg := a.fails(t, http.StatusBadRequest); !names(msg, field) {
		t.Errorf("the message does not name %s: %s", field, a)
	}
}

// isJSON demands the content type of the envelope.
func (a answer) isJSON(t *testing.T) {
	t.Helper()
	if got := a.got.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("Content-Type is %q: %s", got, a)
	}
}

// failureStatus is the status that a failure has under the target's settings.
func (s *suite) failureStatus(status int) int {
	if s.set.ErrorStatus200 && status != http.StatusUnauthorized && status != http.StatusForbidden {
		return http.StatusOK
	}
	return status
}

// names tells whether a message names a field of the JSON, by its name or in words.
func names(msg, field string) bool {
	return strings.Contains(msg, field) || strings.Contains(strings.ToLower(msg), words(field))
}

// words writes a JSON name as the contract's messages do: todoId is "todo id".
func words(field string) string {
	var b strings.Builder
	for _, r := range field {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
