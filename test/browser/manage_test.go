package browser_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// fill writes into the field of a label, as a person does who replaces what is there.
func (b tab) fill(t *testing.T, label, text string) {
	t.Helper()
	b.until(t, `((label) => {
		const found = [...document.querySelectorAll('label')].filter((e) => e.textContent === label && e.checkVisibility()).at(-1);
		if (!found) return false;
		found.control.focus();
		if (found.control.select) found.control.select();
		return document.activeElement === found.control;
	})(%q)`, label)
	b.do(t, chromedp.KeyEvent(text))
	b.until(t, "document.activeElement.value === %q", text)
}

// pressButton presses the button with a text that is shown last, which is the one of a dialog where there is one.
func (b tab) pressButton(t *testing.T, text string) {
	t.Helper()
	b.until(t, `((text) => {
		const found = [...document.querySelectorAll('dialog[open] button, main button')].filter((e) => e.textContent.trim() === text && e.checkVisibility() && !e.disabled);
		const one = found.find((e) => e.closest('dialog')) ?? found[0];
		if (!one || document.querySelector('dialog[open]') && !one.closest('dialog')) return false;
		one.click();
		return true;
	})(%q)`, text)
}

// write puts a text behind what is in the editor.
func (b tab) write(t *testing.T, text string) {
	t.Helper()
	b.until(t, `(() => {
		const area = document.querySelector('.editor-text');
		area.focus();
		getSelection().selectAllChildren(area);
		getSelection().collapseToEnd();
		return document.activeElement === area;
	})()`)
	b.do(t, chromedp.KeyEvent(text))
}

// save presses the button, and waits until the server has the article.
func (b tab) save(t *testing.T) {
	t.Helper()
	b.until(t, "document.querySelector('.write-head .row-meta').textContent.includes('Not saved yet')")
	b.click(t, "#save")
	b.until(t, "document.querySelector('.write-head .row-meta').textContent.includes('last changed by')")
}

// channel adds a channel by the page of channels.
func (b tab) channel(t *testing.T, h hub, name string) {
	t.Helper()
	b.page(t, h, "/manage/channels")
	b.click(t, "#add")
	b.fill(t, "Name", name)
	b.pressButton(t, "Create")
	b.until(t, "[...document.querySelectorAll('.row-title')].some((e) => e.textContent === %q)", name)
}

// TestAnArticleIsWrittenAndRead goes the way of an article from its editor to a reader.
func TestAnArticleIsWrittenAndRead(t *testing.T) {
	h := demo(t)
	carla, amy := newPerson(t), newPerson(t)
	logIn(t, h, carla, "carla")
	carla.channel(t, h, "Company")
	carla.page(t, h, "/manage/articles/new")
	carla.pressButton(t, "Publish")
	carla.until(t, "document.querySelector('[aria-invalid=true]') === document.activeElement && document.querySelector('.field .fault').textContent.includes('title')")
	carla.fill(t, "Title", "A new canteen")
	carla.fill(t, "Summary", "It opens on Monday.")
	carla.write(t, "At noon.")
	// The press comes before the browser tells of the selection, as it may on a busy machine.
	carla.until(t, "(getSelection().selectAllChildren(document.querySelector('.editor-text')), document.querySelector('.editor-bar [aria-label=Bold]').click(), true)")
	carla.until(t, "document.querySelector('.editor-bar [aria-label=Bold]').ariaPressed === 'true'")
	carla.pressButton(t, "Publish")
	carla.until(t, "/^#\\/manage\\/articles\\/[0-9a-f]+$/.test(location.hash) && document.querySelector('.write .badge.good')?.textContent === 'Published'")

	logIn(t, h, amy, "amy")
	amy.page(t, h, "/news")
	amy.until(t, "[...document.querySelectorAll('.story a')].some((e) => e.textContent === 'A new canteen' && (e.click(), true))")
	amy.shows(t, ".article h1", "A new canteen")
	amy.until(t, "document.querySelector('.prose b, .prose strong')?.textContent === 'At noon.'")

	carla.pressButton(t, "Take offline")
	carla.pressButton(t, "Take offline")
	carla.shows(t, ".write .badge", "Offline")
	amy.page(t, h, "/news")
	amy.until(t, "![...document.querySelectorAll('.story a')].some((e) => e.textContent === 'A new canteen')")
}

// TestNothingThatWasWrittenIsLost has two tabs with one article, and a page that is left too early.
func TestNothingThatWasWrittenIsLost(t *testing.T) {
	h := demo(t)
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	carla.channel(t, h, "Company")
	carla.page(t, h, "/manage/articles/new")
	carla.fill(t, "Title", "First")
	carla.save(t)
	other := carla.beside(t)
	other.page(t, h, strings.TrimPrefix(eval[string](t, carla, "location.hash"), "#"))
	other.fill(t, "Title", "Theirs")
	other.save(t)

	carla.fill(t, "Title", "Mine")
	carla.click(t, "#save")
	carla.click(t, "#take-theirs")
	carla.shows(t, "main h1", "Theirs")
	carla.until(t, "document.querySelector('#save').disabled")
	other.fill(t, "Title", "Newer")
	other.save(t)
	carla.fill(t, "Title", "Mine")
	carla.click(t, "#save")
	carla.click(t, "#keep-mine")
	carla.shows(t, "main h1", "Mine")

	carla.fill(t, "Title", "Unsaved")
	carla.until(t, "(location.hash = '#/todos', true)")
	carla.pressButton(t, "Cancel")
	carla.until(t, "location.hash.startsWith('#/manage/articles/') && [...document.querySelectorAll('input')].some(({value}) => value === 'Unsaved')")
	carla.until(t, "(location.hash = '#/todos', true)")
	carla.pressButton(t, "Leave")
	carla.until(t, "location.hash === '#/todos' && !document.querySelector('.write')")
}

// TestTheEditorTakesNothingHostile pastes what would run, and stores it around the editor.
func TestTheEditorTakesNothingHostile(t *testing.T) {
	h := demo(t)
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	carla.channel(t, h, "Company")
	carla.page(t, h, "/manage/articles/new")
	all := strings.Join(hostile, "") + `<p style="color:red" onclick="window.hurt=1">kept <a href="javascript:window.hurt=1">x</a><a href="https://good.example/">y</a></p>`
	carla.until(t, `((html) => {
		const area = document.querySelector('.editor-text');
		if (!area) return false;
		area.focus();
		const data = new DataTransfer();
		data.setData('text/html', html);
		area.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
		return true;
	})(%s)`, asJSON(t, all))
	carla.until(t, "document.querySelector('.editor-text').textContent.includes('kept x')")
	const bad = "document.querySelector('.editor-text :is(script, style, img, svg, [onerror], [onload], [onclick], [style], a[href^=\"javascript\" i])')?.outerHTML ?? (window.hurt ? 'a script ran' : '')"
	if got := eval[string](t, carla, bad); got != "" {
		t.Error(got)
	}
	carla.until(t, "document.querySelector('.editor-text a').getAttribute('href') === 'https://good.example/'")
	carla.fill(t, "Title", hostile[1])
	carla.save(t)
	carla.page(t, h, "/manage/articles")
	carla.shows(t, ".row-title", hostile[1])
	carla.click(t, ".row-title")
	carla.shows(t, "main h1", hostile[1])
	if got := eval[string](t, carla, bad); got != "" {
		t.Error(got)
	}
}

func TestAnAppIsAdded(t *testing.T) {
	h := demo(t)
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	carla.page(t, h, "/manage/apps")
	carla.click(t, "#add")
	carla.fill(t, "Id", "wiki")
	carla.fill(t, "Name", "Wiki")
	carla.fill(t, "Address", "http://wiki.example/")
	carla.pressButton(t, "Create")
	carla.until(t, "document.querySelector('dialog .fault:not(:empty)') && document.activeElement.value === 'http://wiki.example/'")
	carla.fill(t, "Address", "https://wiki.example/")
	carla.pressButton(t, "Create")
	carla.until(t, "!document.querySelector('dialog') && [...document.querySelectorAll('.row-title')].some((e) => e.textContent === 'Wiki')")
	var apps []struct{ AppID string }
	text := eval[string](t, carla, "fetch('/apps').then((answer) => answer.json()).then(({data}) => JSON.stringify(data))")
	if err := json.Unmarshal([]byte(text), &apps); err != nil || !strings.Contains(text, `"wiki"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// TestAnAdministratorClearsATodo has the page of the person open beside.
func TestAnAdministratorClearsATodo(t *testing.T) {
	h := demo(t)
	carla, amy := newPerson(t), newPerson(t)
	logIn(t, h, amy, "amy")
	amy.page(t, h, "/todos")
	h.todo(t, "amy", "po-1", "Approve order 1")
	amy.until(t, "document.querySelector('.todo .row-title')?.textContent.startsWith('Approve order 1') && (window.kept = true)")
	logIn(t, h, carla, "carla")
	carla.page(t, h, "/manage/todos?userId=amy")
	carla.pressButton(t, "Clear")
	carla.fill(t, "Result", "approved")
	carla.pressButton(t, "Clear")
	amy.until(t, "!document.querySelector('.todo') && window.kept")
	carla.until(t, "document.querySelector('.empty')")
	if got := string(h.call(t, http.MethodGet, "/todo-hub/todos?assigneeUsername=amy&status=CLEARED", "")); !strings.Contains(got, `"clearedBy":"carla"`) {
		t.Error(got)
	}

	h.push(t, "amy")
	amy.until(t, "document.title.startsWith('(1) ')")
	carla.page(t, h, "/manage/messages?userId=amy&status=UNREAD")
	carla.pressButton(t, "Mark as read")
	amy.until(t, "!document.title.startsWith('(') && window.kept")
}

// TestWhoeverPlaysABusinessSystemIsHeard pushes from the page of the demo.
func TestWhoeverPlaysABusinessSystemIsHeard(t *testing.T) {
	h := demo(t)
	carla, amy := newPerson(t), newPerson(t)
	logIn(t, h, amy, "amy")
	amy.ready(t)
	logIn(t, h, carla, "carla")
	carla.page(t, h, "/manage/business")
	carla.fill(t, "Title", "Lunch is ready")
	carla.click(t, "#push")
	amy.shows(t, ".side a[href='#/inbox'] .count", "1")
	amy.until(t, "document.querySelector('.message .row-title')?.textContent.includes('Lunch is ready')")
	carla.choose(t, "What", "approval")
	carla.click(t, "#push")
	amy.shows(t, ".side a[href='#/todos'] .count", "1")
	carla.pressButton(t, "Clear")
	amy.shows(t, "#toHandle", "0")
	carla.click(t, "#push")
	amy.shows(t, "#toHandle", "1")
	carla.pressButton(t, "Withdraw")
	amy.shows(t, "#toHandle", "0")
}

// choose takes one of the choices of a field.
func (b tab) choose(t *testing.T, label, value string) {
	t.Helper()
	b.until(t, `((label, value) => {
		const control = [...document.querySelectorAll('label')].find((e) => e.textContent === label)?.control;
		if (!control) return false;
		control.value = value;
		control.dispatchEvent(new Event('change', {bubbles: true}));
		return control.value === value;
	})(%q, %q)`, label, value)
}

// TestWhoMayNotManageSeesNoneOfIt asks for a page of administrators without a permission.
func TestWhoMayNotManageSeesNoneOfIt(t *testing.T) {
	h := demo(t)
	amy := newPerson(t)
	logIn(t, h, amy, "amy")
	amy.page(t, h, "/manage/articles")
	amy.shows(t, "main h1", "There is no such page")
	if eval[bool](t, amy, "Boolean(document.querySelector('a[href*=manage]')) || performance.getEntriesByType('resource').some(({name}) => name.includes('/admin/'))") {
		t.Error("the pages of administrators were fetched")
	}
}

// TestThePagesOfAdministratorsFit looks at them in every size and scheme.
func TestThePagesOfAdministratorsFit(t *testing.T) {
	keepPictures(t)
	h := demo(t, "HUB_DEMO_DATA=true")
	carla := newPerson(t)
	logIn(t, h, carla, "carla")
	for _, name := range []string{"articles", "channels", "apps", "todos", "messages", "people", "business", "articles/new"} {
		carla.page(t, h, "/manage/"+name)
		carla.until(t, "document.querySelector('.row.managed, .editor, #push')")
		carla.look(t, "manage-"+strings.ReplaceAll(name, "/", "-"))
	}
	carla.page(t, h, "/manage/apps")
	carla.click(t, ".row-link")
	carla.look(t, "manage-app")
	carla.page(t, h, "/manage/articles")
	carla.click(t, ".row-link")
	carla.until(t, "document.querySelector('.editor')")
	carla.look(t, "manage-article")
	carla.do(t, chromedp.EmulateViewport(1280, 800))
	carla.until(t, "(localStorage.setItem('hub-language', 'zh'), true)")
	carla.page(t, h, "/manage/articles")
	carla.until(t, "document.querySelector('.row.managed')")
	carla.look(t, "manage-zh")
}
