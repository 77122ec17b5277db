// Package doctor looks for what is wrong between a client and its Hub, and says what to do.
package doctor

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"example.com/hub/clients/hubctl/internal/api"
)

// The states of a finding.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Finding is what was looked at and what was seen.
type Finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	// Advice says what to do; empty where all is well.
	Advice string `json:"advice,omitempty"`
}

// Patient is what is looked at.
type Patient struct {
	Client *api.Client
	// Wait is how long a heartbeat of the stream is waited for.
	Wait time.Duration
	// Found hears each finding as soon as it is there.
	Found func(Finding)
	// Waiting hears that the stream is listened to now.
	Waiting func()

	// skew is how far Hub's clock is ahead of this one, as far as the second of a Date tells it.
	skew time.Duration
}

// Examine looks at everything, until something makes the rest impossible: then the error says what. An
// error comes besides the findings.
func (p *Patient) Examine(ctx context.Context) error {
	connection, text, err := p.reach(ctx)
	if err != nil {
		return err
	}
	p.version(text)
	p.certificate(connection)
	if err := p.token(ctx); err != nil {
		return err
	}
	p.stream(ctx)
	return ctx.Err()
}

func (p *Patient) find(check, state, detail, advice string) {
	p.Found(Finding{check, state, detail, advice})
}

// document is open to everybody, and of Hub alone.
const document = "/openapi.yaml"

// reach gets the document that describes Hub, and reads its clock. connection is nil without TLS.
func (p *Patient) reach(ctx context.Context) (connection *tls.ConnectionState, text []byte, err error) {
	limited, cancel := context.WithTimeout(ctx, p.Client.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, p.Client.Base+document, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	asked := time.Now()
	response, err := p.Client.HTTP.Do(request)
	answered := time.Now()
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		away := api.NoAnswer(p.Client.Base, err)
		p.find("reach", Fail, away.Cause.Error(), reachAdvice(err))
		return nil, nil, away
	}
	defer func() { _ = response.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(text), "/message-hub/stream") {
		p.find("reach", Fail, fmt.Sprintf("%s%s is answered with %s, and not by Hub", p.Client.Base, document, response.Status),
			"something else has this address: check the host, the port and the path of the URL, and where a proxy leads to")
		return nil, nil, &api.Unreachable{Base: p.Client.Base, Cause: errors.New("what answers is not Hub")}
	}
	p.find("reach", OK, fmt.Sprintf("%s answers within %s by %s", p.Client.Base, answered.Sub(asked).Round(time.Millisecond), response.Proto), "")
	p.clock(response, asked, answered)
	return response.TLS, text, nil
}

func reachAdvice(err error) string {
	name, operation := new(net.DNSError), new(net.OpError)
	switch {
	case errors.As(err, &name):
		return "no such host is known here: check its name, and the DNS of this machine"
	case strings.Contains(err.Error(), "certificate"), strings.Contains(err.Error(), "tls:"):
		return "the certificate is not trusted here: hubctl login --ca-file names its authority, or the certificate has another name or has ended"
	case strings.Contains(err.Error(), "server gave HTTP response"):
		return "the port speaks HTTP without TLS: the URL begins with http://"
	case errors.Is(err, context.DeadlineExceeded):
		return "nothing answers: a firewall drops the packets, or the address is wrong"
	case errors.As(err, &operation) && operation.Op == "dial":
		return "nothing listens there: is Hub up, and is the port right?"
	}
	return "the connection breaks: look at the proxies on the way"
}

// known is the version of the interface that this program was made for.
const known = "1"

// needed are the paths beyond the contract that commands call.
var needed = map[string]string{
	"/todo-hub/todos/batch:":         "import",
	"/todo-hub/todos/reconcile:":     "todo reconcile",
	"/message-hub/inbox/read-all:":   "message read-all",
	"/message-hub/unread-count:":     "message unread",
	"/message-hub/messages:":         "message push",
	"/todo-hub/todos/{todoId}/clear": "todo clear",
}

var interfaceVersion = regexp.MustCompile(`(?m)^  version: "?([^"\s]+)"?\s*$`)

func (p *Patient) version(text []byte) {
	version := "none"
	if m := interfaceVersion.FindSubmatch(text); m != nil {
		version = string(m[1])
	}
	if version != known {
		p.find("version", Warn, fmt.Sprintf("the interface has version %s, and this hubctl is for %s", version, known), "take the hubctl of this Hub's release")
		return
	}
	for path, command := range needed {
		if !strings.Contains(string(text), path) {
			p.find("version", Warn, fmt.Sprintf("this Hub has no %s", strings.TrimSuffix(path, ":")), fmt.Sprintf("it is older than this hubctl, whose %s needs it", command))
			return
		}
	}
	p.find("version", OK, "the interface has version "+version+" and all that hubctl calls", "")
}

// The ends of certificates.
const (
	soon = 21 * 24 * time.Hour
	day  = 24 * time.Hour
)

func (p *Patient) certificate(connection *tls.ConnectionState) {
	if connection == nil {
		host := hostname(p.Client.Base)
		if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
			p.find("tls", OK, "none, on this machine", "")
			return
		}
		p.find("tls", Warn, "none: secrets and tokens go over the network for all to read", "call Hub by https")
		return
	}
	leaf := connection.PeerCertificates[0]
	left := time.Until(leaf.NotAfter)
	detail := fmt.Sprintf("the certificate ends in %d days, on %s", left/day, leaf.NotAfter.UTC().Format(time.DateOnly))
	if left < soon {
		p.find("tls", Warn, detail, "renew it; edges read a new one by themselves")
		return
	}
	p.find("tls", OK, detail, "")
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// The differences of clocks. A Date has whole seconds.
const (
	slack   = 2 * time.Second
	tooMuch = time.Minute
)

func (p *Patient) clock(response *http.Response, asked, answered time.Time) {
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		p.find("clock", Warn, "the answer has no Date", "a proxy takes it out; Hub's clock cannot be compared")
		return
	}
	middle := asked.Add(answered.Sub(asked) / 2)
	p.skew = date.Add(time.Second / 2).Sub(middle)
	off := p.skew.Abs()
	if off <= slack+answered.Sub(asked)/2 {
		p.find("clock", OK, "Hub's clock and this one agree", "")
		return
	}
	word := "ahead of"
	if p.skew < 0 {
		word = "behind"
	}
	state := Warn
	if off > tooMuch {
		state = Fail
	}
	p.find("clock", state, fmt.Sprintf("Hub's clock is %s %s this one", off.Round(time.Second), word),
		"let NTP set both clocks; tokens may count as ended, and --as-of must be Hub's time (hubctl time)")
}

// fresh is a user whom nobody has.
func fresh() string { return "hubctl-doctor-" + strings.ToLower(rand.Text()[:10]) }
