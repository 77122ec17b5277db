package portal

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/contract"
)

func socketParameters(t *testing.T, s *contract.Session) {
	for query, msg := range map[string]string{
		"":                            "user must not be empty",
		"?user=":                      "user must not be empty",
		"?user=amy&user=amy":          "user must not be repeated",
		"?user=amy&topics=mail":       "topics must be inbox, todo or both, separated by a comma",
		"?user=amy&topics=":           "topics must be inbox, todo or both, separated by a comma",
		"?user=amy&topics=a&topics=b": "topics must not be repeated",
	} {
		want(t, query, s.Call(t, http.MethodGet, socketPath+query, nil, nil).Fails(t, http.StatusBadRequest), msg)
	}
}

func socketPlain(t *testing.T, s *contract.Session) {
	w := openSocket(t, s, contract.Fresh("user"))
	want(t, "the extensions", w.answer.Header.Get("Sec-WebSocket-Extensions"), "")
	w.wantsCount(t, 0)
}

func socketUpgrade(t *testing.T, s *contract.Session) {
	path := socketPath + "?user=" + contract.Fresh("user")
	good := http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	for name, header := range map[string]http.Header{
		"a plain call":    {},
		"another version": with(good, "Sec-Websocket-Version", "8"),
		"a bad key":       with(good, "Sec-Websocket-Key", "x"),
		"no key":          with(good, "Sec-Websocket-Key", ""),
	} {
		a := s.Call(t, http.MethodGet, path, nil, header)
		a.Fails(t, http.StatusUpgradeRequired)
		want(t, name, a.Header.Get("Upgrade")+" "+a.Header.Get("Sec-Websocket-Version"), "websocket 13")
	}
	s.Call(t, http.MethodPost, path, nil, nil).Fails(t, http.StatusMethodNotAllowed)
}

func socketToken(t *testing.T, s *contract.Session) {
	base, client, header := s.Access(t)
	token := header.Get("Authorization")[len("Bearer "):]
	address := base + socketPath + "?user=" + contract.Fresh("user")
	for _, more := range []string{"&access_token=" + token, "&token=" + token, ""} {
		if _, refused := dial(t, client, address+more, nil); refused.fails(t, http.StatusUnauthorized) == "" {
			t.Errorf("the refusal is %s", refused)
		}
	}
	_, refused := dial(t, client, address, http.Header{"Sec-Websocket-Protocol": {"bearer, " + token}})
	refused.fails(t, http.StatusUnauthorized)
}

func socketData(t *testing.T, s *contract.Session) {
	for _, data := range [][]byte{[]byte("hello"), {}, make([]byte, 100<<10)} {
		w := openSocket(t, s, contract.Fresh("user"))
		w.wantsCount(t, 0)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_ = w.conn.Write(ctx, websocket.MessageText, data) // fails where the answer comes before its end
		cancel()
		w.wantsEnd(t, websocket.StatusUnsupportedData)
	}
}

func socketPings(t *testing.T, s *contract.Session) {
	w := openSocket(t, s, contract.Fresh("user"))
	select {
	case <-w.pings:
	case <-time.After(s.Settings().HeartbeatInterval + patience):
		t.Error("no ping comes")
	}
	w.wantsCount(t, 0)
}

// socketMany opens sockets until one has to go: at the sixth, or later where edges take turns.
func socketMany(t *testing.T, s *contract.Session) {
	const least, edges = 5, 8
	user := contract.Fresh("user")
	var all []*wire
	ended := func() int {
		for i, w := range all {
			select {
			case code := <-w.end:
				w.end <- code
				want(t, "the code", code, websocket.StatusCode(4001))
				return i
			default:
			}
		}
		return -1
	}
	for len(all) < least*edges+1 {
		w := openSocket(t, s, user)
		w.wantsCount(t, 0)
		all = append(all, w)
		if i := ended(); i >= 0 {
			if len(all) <= least || i == len(all)-1 {
				t.Errorf("of %d sockets number %d ended", len(all), i+1)
			}
			all[len(all)-1].lives(t, s, user)
			return
		}
	}
	all[0].wantsEnd(t, 4001)
}

func socketClose(t *testing.T, s *contract.Session) {
	w := openSocket(t, s, contract.Fresh("user"))
	w.wantsCount(t, 0)
	if err := w.conn.Close(websocket.StatusNormalClosure, "bye"); err != nil {
		t.Errorf("the close is not answered: %v", err)
	}
}
