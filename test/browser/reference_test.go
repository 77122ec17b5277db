package browser_test

import (
	"sync"
	"testing"

	cdlog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"
)

// TestTheReferencePage reads an operation, gets a token as a business system and tries the operation.
func TestTheReferencePage(t *testing.T) {
	h := demo(t)
	reader := newPerson(t)
	var mu sync.Mutex
	var complaints []string
	err := chromedp.Listen(reader.ctx, func(event any) {
		if entry, ok := event.(*cdlog.EventEntryAdded); ok && entry.Entry.Level == "error" {
			mu.Lock()
			defer mu.Unlock()
			complaints = append(complaints, entry.Entry.Text+" "+entry.Entry.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	reader.open(t, h.url+"/docs")
	reader.until(t, "document.querySelectorAll('.opblock').length > 30")
	reader.do(t, chromedp.EmulateViewport(320, 800))
	if wide := eval[int](t, reader, "document.documentElement.scrollWidth"); wide > 320 {
		t.Errorf("on a phone it is %d wide", wide)
	}
	reader.do(t, chromedp.EmulateViewport(1280, 800))

	reader.click(t, ".btn.authorize")
	reader.until(t, "document.querySelector('[data-name=clientId]')")
	reader.do(t,
		chromedp.SendKeys(chromedp.CSS("#client_id_clientCredentials"), "erp"),
		chromedp.SendKeys(chromedp.CSS("#client_secret_clientCredentials"), "erp-secret"),
		chromedp.Click(chromedp.CSS("label[for=client-clientCredentials-checkbox-client]")),
	)
	reader.click(t, ".auth-container .btn.authorize")
	reader.until(t, "document.querySelector('.auth-container').innerText.includes('Logout')")
	reader.click(t, ".auth-container .btn-done")

	reader.click(t, "#operations-messages-countUnread .opblock-summary-control")
	reader.do(t, chromedp.SendKeys(chromedp.CSS("#operations-messages-countUnread input[placeholder=username]"), "amy"))
	reader.click(t, "#operations-messages-countUnread .execute")
	reader.until(t, `document.querySelector('#operations-messages-countUnread .live-responses-table tbody .response-col_status')?.innerText.startsWith('200')`)

	mu.Lock()
	defer mu.Unlock()
	for _, complaint := range complaints {
		t.Errorf("the browser says: %s", complaint)
	}
}
