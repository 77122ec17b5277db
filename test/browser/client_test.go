package browser_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/hub/test/shape/shapetest"
)

// clientPage is where the page of testdata/client is, which uses the JavaScript client.
const clientPage = "/portal/my/"

// clientPortal is a Hub with its demo people, behind a proxy that has a page of its own.
type clientPortal struct {
	hub
	admin string
}

// startPortal serves the page and the client beside a Hub, at one origin.
func startPortal(t *testing.T) clientPortal {
	t.Helper()
	address, admin := shapetest.FreeAddress(t), shapetest.FreeAddress(t)
	target := &url.URL{Scheme: "http", Host: address}
	mux := http.NewServeMux()
	mux.Handle("/", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
	}})
	mux.Handle(clientPage, http.StripPrefix(clientPage, http.FileServer(http.Dir("testdata/client"))))
	mux.Handle(clientPage+"client/", http.StripPrefix(clientPage+"client/", http.FileServer(http.Dir("../../web/client"))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	startHub(t, address, "HUB_PUBLIC_URL="+server.URL, "HUB_ADMIN_ADDR="+admin)
	return clientPortal{reach(t, server.URL, "http://"+address), admin}
}

// enter logs a demo person in, and leaves her on the page, whose stream is open.
func (p clientPortal) enter(t *testing.T, b tab, username string) {
	t.Helper()
	b.open(t, p.url+"/portal/login?returnTo="+clientPage)
	b.until(t, "location.pathname === '/demo/oidc/authorize' && document.readyState === 'complete'")
	b.click(t, "a[href*='user="+username+"']")
	b.until(t, "location.pathname === %q && globalThis.page?.live.state.phase === 'open'", clientPage)
}

// another opens the page in another tab of the same person.
func (p clientPortal) another(t *testing.T, b tab, query string) tab {
	t.Helper()
	other := b.beside(t)
	other.open(t, p.url+clientPage+query)
	other.until(t, "globalThis.page?.live.state.phase === 'open'")
	return other
}

// streams are the open streams of all people.
func (p clientPortal) streams(t *testing.T) int {
	t.Helper()
	resp, err := client.Get("http://" + p.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "hub_edge_streams "); found {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("there is no hub_edge_streams")
	return 0
}

// calm demands that tabs do not go on to take streams from each other, which would be many. One that is opened
// just when another tab has left may come to Hub before the end of that one's does; two were seen once.
func (p clientPortal) calm(t *testing.T, left int) {
	t.Helper()
	if n := replaced(t, p.admin); n > 2*left {
		t.Errorf("%d streams were taken away, after %d tabs had left", n, left)
	}
}

// leader is the place of the one tab that has the stream.
func leader(t *testing.T, tabs []tab) int {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		var leaders []int
		for i, b := range tabs {
			if eval[bool](t, b, "page.live.state.leader && page.live.state.phase === 'open'") {
				leaders = append(leaders, i)
			}
		}
		if len(leaders) == 1 {
			return leaders[0]
		}
		if time.Now().After(end) {
			t.Fatalf("the tabs %v lead", leaders)
		}
	}
}

// records are the ids of a person's records, as events of messages have them.
func (p clientPortal) records(t *testing.T, username string) (ids []string) {
	t.Helper()
	var items []struct{ ID string }
	if err := json.Unmarshal(p.call(t, http.MethodGet, "/message-hub/inbox?size=200&username="+username, ""), &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// hears waits until a page has heard of all these messages.
func (b tab) hears(t *testing.T, ids []string) {
	t.Helper()
	list, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	b.until(t, "%s.every((id) => page.heard.includes(`message ${id}`))", list)
}

// sound demands that nothing failed in a page without anybody looking.
func (b tab) sound(t *testing.T) {
	t.Helper()
	if faults := eval[[]string](t, b, "page.faults"); len(faults) > 0 {
		t.Errorf("faults in the page: %q", faults)
	}
}

// TestTenTabsShareOneStream opens ten, closes that which has the stream while messages come, and reads one.
func TestTenTabsShareOneStream(t *testing.T) {
	p := startPortal(t)
	person := newPerson(t)
	tabs := []tab{person.beside(t)}
	p.enter(t, tabs[0], "amy")
	for range 9 {
		tabs = append(tabs, p.another(t, person, ""))
	}
	if n := p.streams(t); n != 1 {
		t.Errorf("ten tabs have %d streams", n)
	}
	p.calm(t, 0)
	p.push(t, "amy")
	for _, b := range tabs {
		b.shows(t, "#unread", "1")
	}

	// Messages come before, while and after the tab with the stream closes.
	first := leader(t, tabs)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 30 {
			p.push(t, "amy")
		}
	}()
	tabs[first].close(t)
	tabs = slices.Delete(tabs, first, first+1)
	<-done
	leader(t, tabs)
	all := p.records(t, "amy")
	for _, b := range tabs {
		b.hears(t, all)
		b.shows(t, "#unread", "31")
	}
	if n := p.streams(t); n != 1 {
		t.Errorf("nine tabs have %d streams", n)
	}
	p.calm(t, 1)

	// What one tab reads shows in the others.
	last := p.push(t, "amy")
	tabs[0].shows(t, "#unread", "32")
	if n := eval[int](t, tabs[0], "page.hub.messages.read(%q)", last); n != 1 {
		t.Errorf("%d messages became read", n)
	}
	for _, b := range tabs {
		b.shows(t, "#unread", "31")
	}

	// A logout in one tab ends all, at once.
	leaving := (leader(t, tabs) + 1) % len(tabs)
	eval[any](t, tabs[leaving], "page.hub.logout()")
	for i, b := range tabs {
		told := 1
		if i == leaving {
			told = 0 // it knows
		}
		b.until(t, "page.live.state.phase === 'ended' && page.over === %d", told)
		b.sound(t)
	}
}

// TestAPageFromTheBackButtonIsUpToDate goes to another page and back, with the stream and without it.
func TestAPageFromTheBackButtonIsUpToDate(t *testing.T) {
	p := startPortal(t)
	person := newPerson(t)
	away := person.beside(t)
	p.enter(t, away, "ben")
	other := p.another(t, person, "")
	p.push(t, "ben")
	other.shows(t, "#unread", "1")
	away.shows(t, "#unread", "1")
	away.open(t, "about:blank")
	other.until(t, "page.live.state.leader && page.live.state.phase === 'open'")
	p.push(t, "ben")
	other.hears(t, p.records(t, "ben"))
	eval[any](t, away, "history.back()")
	away.until(t, "globalThis.page?.live.state.phase === 'open'")
	away.shows(t, "#unread", "2")
	if eval[bool](t, away, "page.live.state.leader") {
		t.Error("two tabs lead")
	}
	p.calm(t, 1)
	other.sound(t)
	away.sound(t)
}

// TestSomebodyElseLogsIn demands that no page of one person shows what is another's.
func TestSomebodyElseLogsIn(t *testing.T) {
	p := startPortal(t)
	person := newPerson(t)
	first, second := person.beside(t), person.beside(t)
	p.enter(t, first, "amy")
	first.until(t, "page.known")
	p.enter(t, second, "ben")
	first.until(t, "page.over === 1 && page.live.state.phase === 'ended'")
	p.push(t, "ben")
	second.shows(t, "#unread", "1")
	first.sound(t)
}

// TestWithoutWebLocks is what happens on pages that did not come by https: the tab that is seen has the stream.
func TestWithoutWebLocks(t *testing.T) {
	p := startPortal(t)
	person := newPerson(t)
	first := person.beside(t)
	p.enter(t, first, "amy")
	first.open(t, p.url+clientPage+"?nolocks")
	first.until(t, "globalThis.page?.live.state.leader && page.live.state.phase === 'open'")
	p.push(t, "amy")
	first.hears(t, p.records(t, "amy"))
	eval[any](t, first, "page.show(false)")
	first.until(t, "!page.live.state.leader")
	second := p.another(t, person, "?nolocks")
	p.push(t, "amy")
	second.shows(t, "#unread", "2")
	first.shows(t, "#unread", "2")
	eval[any](t, second, "page.show(false)")
	second.until(t, "!page.live.state.leader")
	p.push(t, "amy")
	eval[any](t, first, "page.show(true)")
	first.hears(t, p.records(t, "amy"))
	first.shows(t, "#unread", "3")
	p.calm(t, 2)
	first.sound(t)
	second.sound(t)
}
