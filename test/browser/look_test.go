package browser_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "../../bin/screenshots", "folder for pictures of the pages, to look at")

// axe finds what keeps people from using a page. It is one of the packages that make puts there.
const axe = providerPackages + "/node_modules/axe-core/axe.min.js"

// TestThePagesFit looks at the pages in every size and scheme: nothing is wider than the window, the text is
// readable against what is behind it, and axe finds nothing serious.
func TestThePagesFit(t *testing.T) {
	keepPictures(t)
	h := demo(t, "HUB_DEMO_DATA=true")
	amy := newPerson(t)
	amy.open(t, h.url+"/portal/")
	amy.until(t, "location.pathname === '/demo/oidc/authorize' && document.readyState === 'complete'")
	amy.look(t, "choose")
	logIn(t, h, amy, "amy")
	for _, page := range []string{"/", "/todos", "/todos?list=done", "/inbox", "/news", "/notices", "/apps", "/account", "/nowhere"} {
		amy.page(t, h, page)
		amy.look(t, "portal"+strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(strings.TrimRight(page, "/")))
	}
	amy.page(t, h, "/news")
	amy.click(t, ".story a")
	amy.until(t, "document.querySelector('.prose')")
	amy.look(t, "portal-article")
	amy.page(t, h, "/inbox")
	amy.click(t, ".message .row-link")
	amy.until(t, "document.querySelector('.message-body').checkVisibility()")
	amy.look(t, "portal-message")
	amy.do(t, chromedp.EmulateViewport(1280, 800))
	amy.until(t, "(localStorage.setItem('hub-language', 'zh'), true)")
	amy.page(t, h, "/")
	amy.look(t, "portal-zh")
	amy.open(t, h.url+"/portal/callback")
	amy.look(t, "refused")
}

func keepPictures(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(*screenshots, 0o755); err != nil { //nolint:gosec // pictures are for everybody
		t.Fatal(err)
	}
}

// contrast is the ratio of WCAG 2.2 between the text of an element and what is behind it.
const contrast = `((element) => {
	const light = (color) => {
		const [r, g, b] = color.match(/[\d.]+/g).map((n) => n / 255).map((n) => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	let behind = element;
	while (behind && /, 0\)$|transparent/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
	const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(behind || document.documentElement).backgroundColor)];
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})`

func (b tab) look(t *testing.T, name string) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 390, 1280} {
			what := fmt.Sprintf("%s-%s-%d", name, scheme, width)
			_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				// Colours that are on their way from one scheme to the other are none of either.
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			b.do(t, chromedp.EmulateViewport(width, 800))
			if wide := eval[int](t, b, "document.documentElement.scrollWidth"); int64(wide) > width {
				t.Errorf("%s is %d wide", what, wide)
			}
			faint := eval[[]string](t, b, `[...document.querySelectorAll('h1, h2, p, a, button, span')]
				.filter((e) => e.innerText && %s(e) < 4.5).map((e) => e.outerHTML)`, contrast)
			for _, element := range faint {
				t.Errorf("%s: the text is hard to read: %s", what, element)
			}
			b.examine(t, what)
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err == nil {
				err = os.WriteFile(filepath.Join(*screenshots, what+".png"), picture, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// examine demands that axe finds nothing serious.
func (b tab) examine(t *testing.T, what string) {
	t.Helper()
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	if !eval[bool](t, b, "'axe' in window") {
		if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](string(script)+"; true")); err != nil {
			t.Fatal(err)
		}
	}
	found := eval[[]string](t, b, `axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations
		.filter(({impact}) => impact === 'serious' || impact === 'critical')
		.flatMap(({id, help, nodes}) => nodes.map(({html}) => id + ': ' + help + ': ' + html)))`)
	for _, fault := range found {
		t.Errorf("%s: %s", what, fault)
	}
}
