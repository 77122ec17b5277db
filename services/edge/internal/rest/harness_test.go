package rest_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry"
	frontpkg "example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/app"
	"example.com/hub/services/edge/internal/rest/content"
	"example.com/hub/services/edge/internal/rest/counts"
	"example.com/hub/services/edge/internal/rest/directory"
	"example.com/hub/services/edge/internal/rest/file"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
	"example.com/hub/services/edge/internal/ticket"
	"example.com/hub/services/edge/internal/topic"
)

// hub stands in for the connections to both hubs: it keeps the last call and answers with reply, where
// that is what the call answers with, or err.
type hub struct {
	grpc.ClientConnInterface
	request  proto.Message
	metadata metadata.MD
	deadline time.Time
	calls    int
	caller   auth.Principal

	reply proto.Message
	err   error
	// local answers with the message, as a hub in this process does, and not with its bytes.
	local bool
	// decoded tells that the last answer was decoded on its way.
	decoded bool
	// before runs inside each call.
	before func(ctx context.Context)
}

// Invoke implements grpc.ClientConnInterface.
func (h *hub) Invoke(ctx context.Context, _ string, args, reply any, opts ...grpc.CallOption) error {
	h.caller, _ = auth.From(ctx)
	h.calls++
	h.request = args.(proto.Message)
	h.metadata, _ = metadata.FromOutgoingContext(ctx)
	h.deadline, _ = ctx.Deadline()
	if h.before != nil {
		h.before(ctx)
	}
	if h.err != nil {
		return h.err
	}
	answer := reply.(proto.Message)
	if h.reply == nil || h.reply.ProtoReflect().Descriptor() != answer.ProtoReflect().Descriptor() {
		return nil
	}
	if h.local {
		proto.Merge(answer, h.reply)
		return nil
	}
	raw, err := proto.Marshal(h.reply)
	if err != nil {
		return err
	}
	for _, o := range opts {
		if codec, ok := o.(grpc.ForceCodecV2CallOption); ok {
			return codec.CodecV2.Unmarshal(mem.BufferSlice{mem.SliceBuffer(raw)}, answer)
		}
	}
	h.decoded = true
	return proto.Unmarshal(raw, answer)
}

// verifier knows the tokens good, poor (without the scope), and waits for keys at nokeys.
type verifier struct{}

func (verifier) Verify(_ context.Context, token string) (auth.Principal, error) {
	switch token {
	case "good":
		return auth.Principal{Client: "erp", Scopes: []string{"profile", "client", "directory"}}, nil
	case "poor":
		return auth.Principal{Client: "erp", Scopes: []string{"clientx", "CLIENT"}}, nil
	case "nokeys":
		return auth.Principal{}, fault.New(fault.Unavailable, "no keys of 10.0.0.1 yet")
	case "defect":
		return auth.Principal{}, context.DeadlineExceeded
	default:
		return auth.Principal{}, fault.New(fault.Unauthenticated, "access token is not valid")
	}
}

// streams keeps the last stream that was asked for.
type streams struct {
	user   string
	topics topic.Set
	caller auth.Principal
	calls  int
	err    error
}

func (s *streams) Serve(w http.ResponseWriter, r *http.Request, user string, topics topic.Set) error {
	s.calls++
	s.user, s.topics = user, topics
	s.caller, _ = auth.From(r.Context())
	if s.err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return s.err
}

// sockets keeps the last socket that was asked for.
type sockets struct {
	user    string
	topics  topic.Set
	calls   int
	failure *frontpkg.Failure
}

func (s *sockets) Serve(w http.ResponseWriter, _ *http.Request, user string, topics topic.Set) *frontpkg.Failure {
	s.calls++
	s.user, s.topics = user, topics
	if s.failure == nil {
		w.WriteHeader(http.StatusSwitchingProtocols)
	}
	return s.failure
}

// issuer answers each of its paths with the path's name.
type issuer struct{}

func (issuer) ServeToken(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("token")) }
func (issuer) ServeKeys(w http.ResponseWriter, _ *http.Request)  { _, _ = w.Write([]byte("keys")) }
func (issuer) ServeDiscovery(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte("discovery"))
}

// front is a handler with everything behind it faked.
type front struct {
	http.Handler
	hub     *hub
	streams *streams
	sockets *sockets
	metrics *telemetry.Registry
	log     *strings.Builder
}

func newFront(t testing.TB, change ...func(*rest.Deps)) *front {
	t.Helper()
	f := &front{hub: &hub{}, streams: &streams{}, sockets: &sockets{}, metrics: telemetry.New(), log: &strings.Builder{}}
	d := rest.Deps{
		Areas: []rest.Area{
			todo.Area(f.hub), message.Area(f.hub), counts.Area(f.hub, &hub{}), todo.Admin(f.hub), message.Admin(f.hub),
			directory.Area(f.hub), content.Area(f.hub), app.Area(app.Deps{Hub: f.hub, Tickets: &ticket.Issuer{}}),
			file.Area(file.Deps{Hub: f.hub}),
		},
		Streams:       f.streams,
		Sockets:       f.sockets,
		Authenticator: rest.Bearer{Verifier: verifier{}},
		Tokens:        issuer{},
		Documents:     issuer{},
		Metrics:       f.metrics,
		Logger:        log.New(f.log, log.Config{Format: "json", Level: slog.LevelDebug}),
		Zone:          time.UTC,
		MaxBody:       4 << 20,
		MaxBodyMemory: 16 << 20,
		MaxPageSize:   200,
		MaxListMemory: 400 * message.MaxRecord,
		CallTimeout:   5 * time.Second,
		BodyTimeout:   10 * time.Second,
		AnswerTimeout: time.Minute,
	}
	for _, c := range change {
		c(&d)
	}
	h, err := rest.New(d)
	if err != nil {
		t.Fatal(err)
	}
	f.Handler = h
	return f
}

// send makes a request with a good token; headers replace what it has, and empty ones remove it.
func (f *front) send(t *testing.T, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer good")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// causes is the log without the access log.
func (f *front) causes() string {
	var causes strings.Builder
	for line := range strings.Lines(f.log.String()) {
		if !strings.Contains(line, `"msg":"http request"`) {
			causes.WriteString(line)
		}
	}
	return causes.String()
}

// wantFailure demands the envelope of a failure and gives its message.
func wantFailure(t *testing.T, w *httptest.ResponseRecorder, status int) string {
	t.Helper()
	var got struct {
		Code *string         `json:"code"`
		Msg  *string         `json:"msg"`
		Data json.RawMessage `json:"data"`
	}
	decoder := json.NewDecoder(strings.NewReader(w.Body.String()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
	}
	if w.Code != status || got.Code == nil || *got.Code != "-1" || got.Msg == nil || string(got.Data) != "null" {
		t.Fatalf("got status %d and %s, want %d and the envelope of a failure", w.Code, w.Body, status)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
	return *got.Msg
}

// wantMessage demands a failure with exactly this message.
func wantMessage(t *testing.T, w *httptest.ResponseRecorder, status int, msg string) {
	t.Helper()
	if got := wantFailure(t, w, status); got != msg {
		t.Errorf("message %q, want %q", got, msg)
	}
}

// wantJSON demands a success with this body, compared as JSON.
func wantJSON(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("got status %d and %s", w.Code, w.Body)
	}
	if diff := cmp.Diff(parse(t, want), parse(t, w.Body.String())); diff != "" {
		t.Errorf("answer differs (-want +got):\n%s", diff)
	}
}

func parse(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// wantCall demands that the hub was called with this message.
func (f *front) wantCall(t *testing.T, want proto.Message) {
	t.Helper()
	if diff := cmp.Diff(want, f.hub.request, protocmp.Transform()); diff != "" {
		t.Errorf("call differs (-want +got):\n%s", diff)
	}
}
