package app

import (
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/jsontext"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/ticket"
)

// jump is who jumps where, which the answer of portalhub does not say.
type jump struct {
	appID, username string
	navigates       bool
}

func (a area) readJump(r *rest.Request, m *appv1.ResolveJumpRequest) error {
	m.To = r.Text("to")
	r.Keep(jump{m.AppId, r.Own(), r.Navigates()})
	return nil
}

// writeJump sends a browser to the app that navigates there, and tells others where it is.
func (a area) writeJump(b []byte, answer *rest.Answer) ([]byte, error) {
	to, _ := answer.Kept.(jump)
	var address, expires string
	var sso appv1.SignOn
	err := answer.Fields(func(number protowire.Number, text []byte, value uint64) error {
		switch number {
		case 1:
			address = string(text)
		case 2:
			sso = appv1.SignOn(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if sso == appv1.SignOn_SIGN_ON_TICKET {
		if address, expires, err = a.attach(address, to); err != nil {
			return nil, err
		}
	}
	answer.Header.Set("Referrer-Policy", "no-referrer")
	if to.navigates {
		answer.Redirect(address)
		return b, nil
	}
	b = append(jsontext.AppendString(append(b, `{"url":`...), address), `,"expiresAt":`...)
	if expires == "" {
		return append(b, "null}"...), nil
	}
	return append(jsontext.AppendString(b, expires), '}'), nil
}

// attach puts a ticket into an address, and gives when that is no longer good.
func (a area) attach(address string, to jump) (with, expires string, err error) {
	if a.tickets == nil {
		return "", "", status.Error(codes.Unavailable, "an app wants tickets, and HUB_TICKET_KEYS_FILE is not set")
	}
	text, until, err := a.tickets.Make(to.appID, to.username)
	if err != nil {
		return "", "", status.Error(codes.Unavailable, err.Error())
	}
	return ticket.Attach(address, text), until.UTC().Format(time.RFC3339), nil
}

// private keeps the address of a jump from the pages that it leads to.
func private(ask http.HandlerFunc) http.HandlerFunc {
	if ask == nil {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "no-referrer")
		ask(w, r)
	}
}
