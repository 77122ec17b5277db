package browser_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// tab is a page of a browser. Tabs of one person share their cookies.
type tab struct{ ctx context.Context } //nolint:containedctx // chromedp keeps a page in it

// newPerson opens a tab of somebody who has never been anywhere.
func newPerson(t *testing.T) tab {
	t.Helper()
	return newTab(chromium, t, chromedp.WithNewBrowserContext())
}

// beside opens another tab of the same person.
func (b tab) beside(t *testing.T) tab {
	t.Helper()
	return newTab(b.ctx, t)
}

func newTab(parent context.Context, t *testing.T, options ...chromedp.ContextOption) tab {
	t.Helper()
	ctx, leave := chromedp.NewContext(parent, options...)
	t.Cleanup(leave)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return tab{ctx}
}

// close closes the tab.
func (b tab) close(t *testing.T) {
	t.Helper()
	if err := chromedp.Cancel(b.ctx); err != nil {
		t.Fatal(err)
	}
}

// do runs steps, and shows the page when one of them is late or fails.
func (b tab) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := b.try(steps...); err != nil {
		t.Fatalf("%v on %s", err, b)
	}
}

func (b tab) try(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// open goes to an address as if the person had typed it.
func (b tab) open(t *testing.T, url string) {
	t.Helper()
	b.do(t, chromedp.Navigate(url))
}

func (b tab) click(t *testing.T, selector string) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(selector)))
}

// String is the page's address and text, for messages.
func (b tab) String() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body?.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// until waits until an expression is true, across the pages that come and go meanwhile.
func (b tab) until(t *testing.T, expression string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	expression = fmt.Sprintf(expression, args...)
	for {
		// A page that goes away takes its script along, which is an error; the next page answers.
		if yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && yes {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("it never holds that %s on %s", expression, b)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// shows waits until an element has this text.
func (b tab) shows(t *testing.T, selector, text string) {
	t.Helper()
	b.until(t, "document.querySelector(%q)?.textContent.trim() === %q", selector, text)
}

// eval gives the value of an expression, or of the promise that it is.
func eval[T any](t *testing.T, b tab, expression string, args ...any) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(expression, args...), chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v on %s", err, b)
	}
	return value
}

// cookies are those that the browser would send to an address, by their names.
func (b tab) cookies(t *testing.T, url string) map[string]*network.Cookie {
	t.Helper()
	got, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*network.Cookie{}
	for _, c := range got.Cookies {
		all[c.Name] = c
	}
	return all
}
