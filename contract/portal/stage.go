package portal

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"example.com/hub/contract"
)

// stage is a target with people who use it.
type stage struct {
	*contract.Session
	base     string
	http     *http.Client // from another address with each call, where the target is on loopback: logins are counted by address
	still    *http.Client // always from one address
	people   People
	provider *Provider // of the people, where the suite has its key; else nil
	amy, ben string
	// edges are the addresses of all edges, of which base is the first.
	edges []string
	carla string // an administrator
	// apps are those that the case under way has made.
	apps []string
	// channelIDs and articleIDs are those that the case under way uses.
	channelIDs, articleIDs []string
	// hers is amy's browser, logged in once for the cases that only need a session.
	hers *visitor
}

// RunPeople checks what people may do and how they log in. The target's listener is on loopback, or the
// provider is elsewhere; nil are the people of the target's own demo provider. The cases run one after the
// other, since there are few people, each of whom has one stream. The target may have more edges than that of
// its address.
func RunPeople(t *testing.T, target contract.Target, people People, more ...string) {
	t.Helper()
	st := &stage{
		Session: contract.Open(t, target), base: strings.TrimSuffix(target.BaseURL, "/"), people: people,
	}
	st.edges = append([]string{st.base}, more...)
	st.http = st.client(target, func() net.IP { return net.IPv4(127, 1+byte(rand.N(250)), byte(rand.N(250)), 1+byte(rand.N(250))) })
	st.still = st.client(target, func() net.IP { return net.IPv4(127, 0, 9, 9) })
	if people == nil {
		st.people = demo{st.base, st.http}
	}
	st.provider, _ = people.(*Provider)
	st.amy, st.ben = st.people.Names()
	st.carla = st.people.Admin()
	st.hers = st.visitor()
	st.hers.logIn(t, st.amy, "")
	for _, a := range peopleAreas() {
		t.Run(a.name, func(t *testing.T) {
			for _, c := range a.cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, st) })
			}
		})
	}
}

// client makes a client whose calls come from the addresses that from gives, where the target is on loopback.
func (st *stage) client(target contract.Target, from func() net.IP) *http.Client {
	u, err := url.Parse(st.base)
	local := err == nil && (net.ParseIP(u.Hostname()).IsLoopback() && runtime.GOOS == "linux")
	return &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: target.Authorities, MinVersion: tls.VersionTLS12},
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				var dialer net.Dialer
				if local {
					dialer.LocalAddr = &net.TCPAddr{IP: from()}
				}
				return dialer.DialContext(ctx, network, address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// peopleCase is one sentence about people.
type peopleCase struct {
	name string
	run  func(*testing.T, *stage)
}

// peopleArea is a group of them.
type peopleArea struct {
	name  string
	cases []peopleCase
}

// peopleAreas is every case about people there is.
func peopleAreas() []peopleArea {
	return []peopleArea{
		{"bearer", bearerCases()},
		{"tokens", tokenCases()},
		{"login", loginCases()},
		{"session", sessionCases()},
		{"across", acrossCases()},
		{"site", siteCases()},
		{"pages", pageCases()},
		{"apps", appCases()},
		{"content", contentCases()},
		{"files", fileCases()},
		{"home", homeCases()},
		{"socket", socketPeopleCases()},
		{"admin", adminCases()},
		{"directory", directoryLoginCases()},
	}
}

// push sends a person a message and gives its id at the client.
func (st *stage) push(t *testing.T, user string) string {
	t.Helper()
	id := contract.Fresh("message")
	push(t, st.Session, user, id)
	return id
}

// unread is a person's count, as a client sees it.
func (st *stage) unread(t *testing.T, user string) string {
	t.Helper()
	return string(st.Call(t, http.MethodGet, "/message-hub/unread-count?username="+user, nil, nil).OK(t))
}

// secure tells whether browsers reach the target by https.
func (st *stage) secure() bool { return strings.HasPrefix(st.base, "https://") }

// cookie is the name of a cookie of the target: session or login.
func (st *stage) cookie(what string) string {
	if st.secure() {
		return "__Host-hub-" + what
	}
	return "hub-" + what
}

// bearer are the headers of a call with a person's token.
func (st *stage) bearer(t *testing.T, user string) http.Header {
	t.Helper()
	return http.Header{"Authorization": {"Bearer " + st.people.Token(t, user)}}
}

// ask makes a call without cookies.
func (st *stage) ask(t *testing.T, method, path string, header http.Header, body string) reply {
	t.Helper()
	return st.visitor().send(t, method, path, header, body)
}

// calls are those that a person may make, without a name, by what they are called.
func calls(message string) map[string][2]string {
	return map[string][2]string{
		"todos":  {http.MethodGet, "/todo-hub/todos"},
		"inbox":  {http.MethodGet, "/message-hub/inbox"},
		"unread": {http.MethodGet, "/message-hub/unread-count"},
		"counts": {http.MethodGet, "/counts"},
		"read":   {http.MethodPost, fmt.Sprintf("/message-hub/messages/%s/read", message)},
	}
}

// names are the parameters that name a person.
var names = map[string]string{"todos": "assigneeUsername", "inbox": "username", "unread": "username", "counts": "username", "read": "username", "stream": "user"}
