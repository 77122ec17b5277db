package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press sends keys one after the other to where the focus is.
func (b tab) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		b.do(t, chromedp.KeyEvent(key))
	}
}

// tabTo presses the key Tab until the focus is on what the expression says of `e`.
func (b tab) tabTo(t *testing.T, expression string) {
	t.Helper()
	for range 60 {
		b.press(t, "\t")
		if eval[bool](t, b, "((e) => Boolean(%s))(document.activeElement)", expression) {
			if eval[string](t, b, "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement.closest('.row') ?? document.activeElement).outlineStyle") == "nonenone" {
				t.Errorf("one does not see the focus where %s", expression)
			}
			return
		}
	}
	t.Fatalf("the key Tab never reaches where %s on %s", expression, b)
}

const enter, right, escape = kb.Enter, kb.ArrowRight, kb.Escape

func TestTheKeyboardSuffices(t *testing.T) {
	h := demo(t, "HUB_DEMO_DATA=true")
	amy := newPerson(t)
	amy.do(t, chromedp.EmulateViewport(1280, 860))
	logIn(t, h, amy, "amy")
	amy.ready(t)
	amy.tabTo(t, "e.className === 'skip'")
	amy.press(t, enter)
	amy.until(t, "document.activeElement.tagName === 'H1'")
	amy.tabTo(t, "e.getAttribute('role') === 'tab'")
	amy.press(t, right)
	amy.until(t, "document.activeElement.textContent.startsWith('To read') && document.activeElement.ariaSelected === 'true'")
	amy.until(t, "document.querySelector('.todo .row-title')?.textContent.startsWith('Report on')")
	amy.tabTo(t, "e.matches('.message .row-link')")
	amy.press(t, enter)
	amy.until(t, "document.activeElement.ariaExpanded === 'true' && document.querySelector('.message-body').checkVisibility()")
	amy.shows(t, "#unread", "3")

	amy.page(t, h, "/")
	amy.tabTo(t, "e.getAttribute('href') === '#/inbox'")
	amy.press(t, enter)
	amy.until(t, "location.hash === '#/inbox' && document.activeElement.textContent === 'Inbox'")
	amy.tabTo(t, "e.id === 'read-all'")
	amy.press(t, enter)
	amy.until(t, "!document.querySelector('.message.unread')")
	amy.page(t, h, "/account")
	amy.tabTo(t, "e.matches('.side .account')")
	amy.press(t, enter)
	amy.tabTo(t, "e.id === 'logout'")
	amy.press(t, escape)
	amy.until(t, "document.activeElement.matches('.side .account') && !document.querySelector('#logout')?.checkVisibility()")
	amy.press(t, enter)
	amy.tabTo(t, "e.id === 'logout'")
	amy.press(t, enter)
	amy.shows(t, "main h1", "You are logged out")
}
