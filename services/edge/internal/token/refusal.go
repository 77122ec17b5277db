package token

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// refusal is the answer of RFC 6749 section 5.2.
type refusal struct {
	status     int
	retryAfter time.Duration

	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (r *refusal) Error() string { return r.Code + ": " + r.Description }

func invalidRequest(description string) *refusal {
	return &refusal{status: http.StatusBadRequest, Code: "invalid_request", Description: description}
}

func (r *refusal) answer(w http.ResponseWriter, request *http.Request) {
	switch r.status {
	case http.StatusUnauthorized:
		challenge(w, request)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	if r.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(r.retryAfter.Seconds()))))
	}
	writeJSON(w, r.status, r)
}

// challenge sets the header that RFC 6749 section 5.2 asks for with status 401 when the client tried to
// authenticate by a header. A client that sent a form gets none: some libraries take a challenge for the
// whole answer and never show the error in the body.
func challenge(w http.ResponseWriter, r *http.Request) {
	if len(r.Header["Authorization"]) > 0 {
		w.Header().Set("WWW-Authenticate", `Basic realm="hub", charset="UTF-8"`)
	}
}

// logRefused writes the line of a token request that was refused. The client is as clientShown gives it.
// Codes and descriptions are Hub's own words, or checked by codeOf, and so hold nothing of the request.
func logRefused(ctx context.Context, logger *slog.Logger, r *refusal, client string) {
	level := slog.LevelInfo
	if r.status == http.StatusTooManyRequests {
		level = slog.LevelWarn
	}
	logger.Log(ctx, level, "token refused",
		"status", r.status, "error", r.Code, "description", r.Description, "client_id", client)
}

// presentedID is the client id of a request, wherever it stands; it may be anything.
func presentedID(r *http.Request, form map[string]string) string {
	if basic, err := readBasic(r); err == nil {
		return basic.id
	}
	return form["client_id"]
}

// maxShown characters of an unknown client id are logged.
const maxShown = 8

// clientShown is an id that is not known to be a client's, for the log. It may be a secret that went into
// the wrong field, so that at most half of it is shown, enough to find a typing error.
func clientShown(id string) string {
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
