package browser_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// attacks defines attack(hub, message), which tries everything that a page can do to another origin and gives
// what came of each attempt.
//
//go:embed testdata/attacks.js
var attacks string

// unread is an answer that the page cannot read: with the cookie, which goes along from the same site, Hub
// tells the browser to keep it from the page altogether.
const unread = "opaque or kept back"

// refused is what comes of each attempt from another origin. The names are those of attacks.js.
var refused = map[string]string{
	"event source":                  "error",
	"event source with credentials": "error",
	"fetch of what is hers":         "TypeError",
	"fetch with a header":           "TypeError",
	"fetch of her todos":            "TypeError",
	"fetch without CORS":            unread,
	"post of JSON":                  "TypeError",
	"post of text":                  "TypeError",
	"post without CORS":             unread,
	"post of a form":                "loaded",
	"logout without CORS":           unread,
	"logout by a form":              "loaded",
	"beacon":                        "sent",
	"socket":                        "error",
	"socket to the stream":          "error",
	"script":                        "error",
	"image":                         "error",
	"frame":                         "loaded",
	"window":                        "SecurityError",
}

// granted is what comes of those of Hub's own origin that tell: so the attempts are made as they should be.
var granted = map[string]string{
	"event source":          "open",
	"fetch of what is hers": "amy",
	"fetch of her todos":    "200",
	"socket":                "open",
}

// origins are Hub's and that of a page of somebody else.
var origins = map[string]struct {
	start   func(*testing.T) hub
	sibling func(t *testing.T, handler http.Handler) string
	// sameSite tells that the browser sends the cookie.
	sameSite bool
}{
	"another port": {
		start:    func(t *testing.T) hub { return demo(t) },
		sibling:  plainSite("127.0.0.1"),
		sameSite: true,
	},
	"another host": {
		start:   func(t *testing.T) hub { return demo(t) },
		sibling: plainSite("a.localhost"),
	},
	"a sibling domain of https": {
		start: demoTLS,
		sibling: func(t *testing.T, handler http.Handler) string {
			t.Helper()
			site := httptest.NewUnstartedServer(handler)
			site.TLS = certificate.config(t)
			site.StartTLS()
			t.Cleanup(site.Close)
			return strings.Replace(site.URL, "127.0.0.1", "evil.hub.test", 1)
		},
		sameSite: true,
	},
}

func plainSite(host string) func(*testing.T, http.Handler) string {
	return func(t *testing.T, handler http.Handler) string {
		t.Helper()
		site := httptest.NewServer(handler)
		t.Cleanup(site.Close)
		return strings.Replace(site.URL, "127.0.0.1", host, 1)
	}
}

// TestPagesOfOthersGetNothing has amy open a page of another origin while she is logged in and listens.
func TestPagesOfOthersGetNothing(t *testing.T) {
	for name, o := range origins {
		t.Run(name, func(t *testing.T) {
			h := o.start(t)
			amy := newPerson(t)
			logIn(t, h, amy, "amy")
			message := h.push(t, "amy")
			amy.open(t, h.url+"/portal/style.css") // the portal would want its stream back
			hers := amy.beside(t)
			hers.listen(t, h)

			evil := amy.beside(t)
			evil.open(t, o.sibling(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprintf(w, "<!doctype html><title>prize</title><script>%s</script>", attacks)
			})))
			got := eval[map[string]string](t, evil, "attack(%q, %q)", h.url, message)
			for attempt, want := range refused {
				if want == unread {
					want = map[bool]string{true: "TypeError", false: "opaque"}[o.sameSite]
				}
				if got[attempt] != want {
					t.Errorf("%s: %s, want %s", attempt, got[attempt], want)
				}
			}
			if len(got) != len(refused) {
				t.Errorf("%d attempts, want %d: %v", len(got), len(refused), got)
			}
			wantNoFrame(t, evil)

			if n := h.unread(t, "amy"); n != "1" {
				t.Errorf("amy has %s unread, want 1", n)
			}
			h.push(t, "amy")
			hers.until(t, "heard === 1")
			if lost := eval[int](t, hers, "lost"); lost != 0 {
				t.Errorf("her stream was ended %d times", lost)
			}
			hers.open(t, h.url+"/portal/me")
			if !strings.Contains(hers.String(), `"amy"`) {
				t.Errorf("she is not logged in any more: %s", hers)
			}
		})
	}
}

// TestPagesOfHubGetEverything makes the attempts from Hub's own origin.
func TestPagesOfHubGetEverything(t *testing.T) {
	h := demo(t)
	amy := newPerson(t)
	logIn(t, h, amy, "amy")
	message := h.push(t, "amy")
	hers := amy.beside(t)
	hers.open(t, h.url+"/portal/style.css")
	got := eval[map[string]string](t, hers, attacks+";attack(%q, %q)", h.url, message)
	for attempt, want := range granted {
		if got[attempt] != want {
			t.Errorf("%s: %s, want %s", attempt, got[attempt], want)
		}
	}
	if n := h.unread(t, "amy"); n != "0" {
		t.Errorf("amy has %s unread, want 0", n)
	}
	hers.open(t, h.url+"/portal/me")
	if strings.Contains(hers.String(), `"amy"`) {
		t.Errorf("she is still logged in: %s", hers)
	}
}

// listen opens a page of Hub's origin that has a stream and nothing else; heard counts its events, lost its
// ends.
func (b tab) listen(t *testing.T, h hub) {
	t.Helper()
	b.open(t, h.url+"/portal/style.css")
	eval[bool](t, b, `new Promise((open) => {
		heard = lost = 0;
		const stream = new EventSource('/message-hub/stream');
		stream.onopen = () => open(true);
		stream.onerror = () => { lost++; open(false); };
		for (const type of ['message', 'read']) stream.addEventListener(type, () => heard++);
	})`)
	b.until(t, "lost === 0")
}

// wantNoFrame demands that no frame of the page shows the portal.
func wantNoFrame(t *testing.T, b tab) {
	t.Helper()
	tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range tree.FrameTree.ChildFrames {
		if strings.HasSuffix(child.Frame.URL, "/portal/") {
			t.Errorf("a frame shows %s", child.Frame.URL)
		}
	}
}
