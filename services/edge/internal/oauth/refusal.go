// Package oauth has what every token endpoint shares: the form of a request, and the words of a refusal
// (RFC 6749).
package oauth

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Refusal is the answer of RFC 6749 section 5.2.
type Refusal struct {
	// Status is that of HTTP.
	Status int `json:"-"`
	// RetryAfter is for how long the caller should wait; 0 tells nothing.
	RetryAfter time.Duration `json:"-"`

	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Description }

// InvalidRequest refuses a request that is not as RFC 6749 has it.
func InvalidRequest(description string) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: "invalid_request", Description: description}
}

// Answer writes the refusal.
func (r *Refusal) Answer(w http.ResponseWriter, request *http.Request) {
	switch r.Status {
	case http.StatusUnauthorized:
		Challenge(w, request)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	if r.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(r.RetryAfter.Seconds()))))
	}
	WriteJSON(w, r.Status, r)
}

// Challenge sets the header that RFC 6749 section 5.2 asks for with status 401 when the client tried to
// authenticate by a header. A client that sent a form gets none: some libraries take a Challenge for the
// whole answer and never show the error in the body.
func Challenge(w http.ResponseWriter, r *http.Request) {
	if len(r.Header["Authorization"]) > 0 {
		w.Header().Set("WWW-Authenticate", `Basic realm="hub", charset="UTF-8"`)
	}
}

// LogRefused writes the line of a token request that was refused. The client is as ClientShown gives it.
// Codes and descriptions are Hub's own words, or checked by codeOf, and so hold nothing of the request.
func LogRefused(ctx context.Context, logger *slog.Logger, r *Refusal, client string) {
	level := slog.LevelInfo
	if r.Status == http.StatusTooManyRequests {
		level = slog.LevelWarn
	}
	logger.Log(ctx, level, "token refused",
		"status", r.Status, "error", r.Code, "description", r.Description, "client_id", client)
}

// PresentedID is the client id of a request, wherever it stands; it may be anything.
func PresentedID(r *http.Request, form map[string]string) string {
	if basic, err := readBasic(r); err == nil {
		return basic.ID
	}
	return form["client_id"]
}

// maxShown characters of an unknown client id are logged.
const maxShown = 8

// ClientShown is an id that is not known to be a client's, for the log. It may be a secret that went into
// the wrong field, so that at most half of it is shown, enough to find a typing error.
func ClientShown(id string) string {
	shown := min(maxShown, utf8.RuneCountInString(id)/2)
	var b strings.Builder
	for _, r := range id {
		if shown--; shown < 0 {
			return b.String() + "..."
		}
		if !strconv.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ForbidCaching sets the headers of RFC 6749 section 5.1.
func ForbidCaching(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}

// WriteJSON writes an answer.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is nobody's fault.
	_ = json.NewEncoder(w).Encode(body)
}
