package browser_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"example.com/hub/contract/portal"
)

// cleanScript stores each fragment as an article and gives what Hub made of it.
const cleanScript = `(async (fragments) => {
	const call = async (method, path, body) => {
		const answer = await fetch(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
		const text = await answer.text();
		if (!answer.ok) throw new Error(text);
		return JSON.parse(text).data;
	};
	const channel = await call('POST', '/admin/cms/channels', { name: 'Hostile', type: 'news' });
	const said = { channelId: channel.id, title: 'Hostile' };
	const article = await call('POST', '/admin/cms/articles', said);
	const clean = [];
	for (const contentHtml of fragments) {
		clean.push((await call('PUT', '/admin/cms/articles/' + article.id, { ...said, contentHtml })).contentHtml);
	}
	return clean;
})`

// showScript shows each text in a page of its own, in some of the ways in which pages show articles, tells its elements of
// what happens to them, and gives the texts that ran a script, hold an address that would, or changed their page.
const showScript = `(async (texts, ways) => {
	const show = async (text, way) => {
		const frame = document.createElement('iframe');
		const loaded = new Promise((done) => { frame.onload = done; });
		frame.srcdoc = '<!doctype html><title>x</title><p id=before>before</p><div id=article>' + (way === 'parsed' ? text : '') + '</div><p id=after>after</p>';
		document.body.append(frame);
		await loaded;
		const found = [];
		try {
			const article = frame.contentDocument.querySelector('#article');
			if (way !== 'parsed') article.innerHTML = text;
			if (way === 'set twice') article.innerHTML = article.innerHTML;
			for (const element of article.querySelectorAll('*')) {
				for (const name of ['click', 'mouseover', 'pointerover', 'focus', 'load', 'error', 'toggle', 'animationstart', 'wheel']) {
					element.dispatchEvent(new Event(name));
				}
				const address = String(element.href?.baseVal ?? element.href ?? element.action ?? '');
				if (/^(javascript|vbscript|data|blob|file):/i.test(address)) found.push('an address');
			}
			await new Promise((done) => setTimeout(done));
			if (frame.contentWindow.alarm || window.alarm) found.push('a script');
			if (frame.contentWindow.location.href !== 'about:srcdoc' || !frame.contentDocument.querySelector('#before') ||
				!frame.contentDocument.querySelector('#after')) found.push('the page');
		} catch (failure) {
			found.push('a failure: ' + failure); // the frame is elsewhere
		}
		delete window.alarm;
		frame.remove();
		return found.map((what) => [text, way, what]);
	};
	const loud = [];
	for (const text of texts) for (const way of ways) loud.push(...await show(text, way));
	return loud;
})`

// TestNothingHostileRunsInABrowser has Chromium show what Hub has made of hostile fragments, on a page without any
// policy of its own. What that page would load from another host is seen as a request, which fails: no name of another
// host is found.
func TestNothingHostileRunsInABrowser(t *testing.T) {
	h := demo(t)
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	hostile := portal.HostileFragments()
	var clean []string
	for part := range slices.Chunk(hostile, 100) {
		clean = append(clean, eval[[]string](t, carla, "%s", cleanScript+"("+asJSON(t, part)+")")...)
	}
	if len(clean) != len(hostile) {
		t.Fatalf("%d of %d fragments", len(clean), len(hostile))
	}
	asked, loud := show(t, clean, "parsed", "set", "set twice")
	for _, url := range asked {
		t.Errorf("a page asks for %s", url)
	}
	for _, found := range loud {
		t.Errorf("%s: %s: %s", found[1], found[2], found[0])
	}

	// As they came they do harm here, or the page would show nothing.
	asked, loud = show(t, hostile, "parsed")
	t.Logf("as they came, %d fragments ask for %d addresses and do %d things", len(hostile), len(asked), len(loud))
	if len(asked) < 50 || len(loud) < 100 {
		t.Error("the page does not notice what is hostile")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// show shows texts, and gives the addresses that were asked for, other than those of Hub's files, and what showScript
// found.
func show(t *testing.T, texts []string, ways ...string) (asked []string, loud [][3]string) {
	t.Helper()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>x</title><body>"))
	}))
	defer page.Close()
	var mu sync.Mutex
	reader := newPerson(t)
	if err := chromedp.Listen(reader.ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, sent.Request.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	reader.open(t, page.URL)
	for part := range slices.Chunk(texts, 20) {
		loud = append(loud, eval[[][3]string](t, reader, "%s", showScript+"("+asJSON(t, part)+","+asJSON(t, ways)+")")...)
	}
	reader.close(t)
	mu.Lock()
	defer mu.Unlock()
	own := []string{page.URL + "/", page.URL + "/favicon.ico", "about:srcdoc"}
	return slices.DeleteFunc(asked, func(url string) bool {
		return slices.Contains(own, url) || strings.HasPrefix(url, page.URL+"/files/")
	}), loud
}
