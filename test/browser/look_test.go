package browser_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "folder for pictures of the pages, to look at; empty: none are kept")

// TestThePagesFit looks at the pages in every size and scheme: nothing is wider than the window, and the text
// is readable against what is behind it.
func TestThePagesFit(t *testing.T) {
	h := demo(t)
	amy := newPerson(t)
	amy.open(t, h.url+"/portal/")
	amy.until(t, "location.pathname === '/demo/oidc/authorize' && document.readyState === 'complete'")
	amy.look(t, "choose")
	logIn(t, h, amy, "amy")
	amy.look(t, "portal")
	amy.open(t, h.url+"/portal/callback")
	amy.look(t, "refused")
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
		for _, width := range []int64{320, 1280} {
			what := fmt.Sprintf("%s-%s-%d", name, scheme, width)
			_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
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
			if *screenshots == "" {
				continue
			}
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
