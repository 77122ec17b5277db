package content_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/hub/services/portalhub/internal/content"
)

// kept is the word that the readers of a hostile fragment are to see.
const kept = "pomegranate"

// fragments are those of the package contract/portal. A test of the binary hub holds the file to them.
func fragments(t testing.TB) (all []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/hostile.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) < 200 {
		t.Fatal(len(all), err)
	}
	return all
}

// allowed are the attributes of each element that may be there, and what their values look like.
var allowed = map[string]map[string]*regexp.Regexp{
	"a": {
		"rel": regexp.MustCompile(`^noreferrer noopener$`), "target": regexp.MustCompile(`^_blank$`),
		"href": regexp.MustCompile(`^(#|/$|/[^/\\]|[hH][tT][tT][pP][sS]?://[^/\\]|[mM][aA][iI][lL][tT][oO]:.)`),
	},
	"img": {
		"src": regexp.MustCompile(`^/files/[0-9a-f]{32}$`), "alt": regexp.MustCompile(``),
		"width": regexp.MustCompile(`^[0-9]{1,4}$`), "height": regexp.MustCompile(`^[0-9]{1,4}$`),
	},
	"ol": {"start": regexp.MustCompile(`^[0-9]{1,4}$`)},
	"td": {"colspan": regexp.MustCompile(`^[0-9]{1,3}$`), "rowspan": regexp.MustCompile(`^[0-9]{1,3}$`)},
	"th": {"colspan": regexp.MustCompile(`^[0-9]{1,3}$`), "rowspan": regexp.MustCompile(`^[0-9]{1,3}$`), "scope": regexp.MustCompile(`^(row|col)(group)?$`)},
}

// bare are the elements without attributes.
var bare = strings.Fields("p div span br hr h1 h2 h3 h4 h5 h6 blockquote pre figure figcaption b strong i em u s del ins mark small sub sup " +
	"code kbd samp var q cite abbr ul li dl dt dd table caption colgroup thead tbody tfoot tr")

// check wants a text that is harmless as it stands, and also as browsers read it.
func check(t testing.TB, fragment, clean string) {
	t.Helper()
	if strings.ContainsAny(clean, "\x00") {
		t.Errorf("%q became %q with a NUL", fragment, clean)
	}
	tokens := html.NewTokenizer(strings.NewReader(clean))
	for tokens.Next() != html.ErrorToken {
		switch token := tokens.Token(); token.Type {
		case html.CommentToken, html.DoctypeToken:
			t.Errorf("%q became %q, with %q", fragment, clean, token)
		case html.StartTagToken, html.SelfClosingTagToken:
			checkElement(t, fragment, clean, token.Data, token.Attr)
		}
	}
	nodes, err := html.ParseFragment(strings.NewReader(clean), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil && !strings.Contains(err.Error(), "open stack of elements exceeds") {
		t.Errorf("%q became %q, which cannot be read: %v", fragment, clean, err)
	}
	for _, node := range nodes {
		for n := range node.Descendants() {
			if n.Type == html.ElementNode {
				checkElement(t, fragment, clean, n.Data, n.Attr)
			}
		}
	}
}

func checkElement(t testing.TB, fragment, clean, name string, attributes []html.Attribute) {
	t.Helper()
	if allowed[name] == nil && !slices.Contains(bare, name) {
		t.Errorf("%q became %q, with the element %s", fragment, clean, name)
	}
	for _, a := range attributes {
		pattern := allowed[name][a.Key]
		if pattern == nil || !pattern.MatchString(a.Val) {
			t.Errorf("%q became %q, where %s has %s=%q", fragment, clean, name, a.Key, a.Val)
		}
		if a.Key == "href" && strings.ContainsFunc(a.Val, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
			t.Errorf("%q became %q, with the address %q", fragment, clean, a.Val)
		}
	}
	if name == "a" && len(attributes) != 3 && !slices.ContainsFunc(attributes, func(a html.Attribute) bool { return a.Key == "rel" }) {
		t.Errorf("%q became %q, with a link that tells where its readers come from", fragment, clean)
	}
}

// unseen are those of which browsers do not show the word: it stands in a script, or behind a tag that has no end.
var unseen = regexp.MustCompile(`<(?i:script|style|iframe|noscript|noembed|noframes|title|!--)|<[^>]*$`)

func TestNothingHostileIsLeft(t *testing.T) {
	for _, fragment := range fragments(t) {
		clean := content.Sanitise(fragment)
		check(t, fragment, clean)
		if again := content.Sanitise(clean); again != clean {
			t.Errorf("%q became %q and then %q", fragment, clean, again)
		}
		if !strings.Contains(clean, kept) && !unseen.MatchString(fragment) {
			t.Errorf("%q became %q", fragment, clean)
		}
	}
}

func TestTextsStayAsTheyAre(t *testing.T) {
	const link = `<a rel="noreferrer noopener" target="_blank" `
	for _, same := range []string{
		"", " ", "text", "<p>a <b>b</b> <i>c</i><br>d</p>", "<h2>x</h2><hr/>", "<ul><li>a</li></ul><ol start=\"3\"><li>b</li></ol><dl><dt>c</dt><dd>d</dd></dl>",
		`<table><caption>c</caption><thead><tr><th scope="col" colspan="2">h</th></tr></thead><tbody><tr><td rowspan="2">d</td></tr></tbody></table>`,
		`<figure><img src="/files/0123456789abcdef0123456789abcdef" alt="A dog" width="640" height="480"><figcaption>x</figcaption></figure>`,
		link + `href="https://hub.example/a?b=c&amp;d=%20e#f">x</a>`, link + `href="HTTP://hub.example">x</a>`, link + `href="mailto:a@hub.example?subject=x%20y">x</a>`,
		link + `href="#top">x</a>`, link + `href="#">x</a>`, link + `href="/">x</a>`, link + `href="/portal/?x=//y">x</a>`, link + `href="https://münchen.example/ä">x</a>`,
		"1 &lt; 2 &amp;&amp; 3 &gt; 2", "<pre>\n  code\n</pre>", "ä \U0001f600 \u202e",
	} {
		if got := content.Sanitise(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	for fragment, want := range map[string]string{
		`<a href="/x" rel="opener" target="_top" title="y">x</a>`: link + `href="/x">x</a>`,
		`<A HREF=/x>x</A>`:                      link + `href="/x">x</a>`,
		`<p class="x" style="color:red">x</p>`:  "<p>x</p>",
		`<font color=red>x</font>`:              "x",
		`"x" 'y'`:                               "&#34;x&#34; &#39;y&#39;",
		`<object data=x>x</object><frame>y`:     "xy",
		"<a href='javascript:x'>text</a> stays": "text stays",
	} {
		if got := content.Sanitise(fragment); got != want {
			t.Errorf("%q became %q, want %q", fragment, got, want)
		}
	}
}

// FuzzSanitise looks for a fragment of which something harmful is left, or that is changed again.
func FuzzSanitise(f *testing.F) {
	for _, fragment := range fragments(f) {
		f.Add(fragment)
	}
	f.Fuzz(func(t *testing.T, fragment string) {
		clean := content.Sanitise(strings.ToValidUTF8(strings.ReplaceAll(fragment, "\x00", ""), ""))
		check(t, fragment, clean)
		if again := content.Sanitise(clean); again != clean {
			t.Errorf("%q became %q and then %q", fragment, clean, again)
		}
	})
}

// TestPatternsAreFast gives the sanitiser what slow ones take long for.
func TestPatternsAreFast(t *testing.T) {
	for _, part := range []string{"<", "<a ", "<b>", "</b>", "<a href=/x>", "<svg>", "<!--", "&", "&lt;", "\"", "<table><tr><td>", "<a href=\"", " a=b", "https://"} {
		fragment := "<a href=\"" + strings.Repeat(part, content.MaxHTML/len(part))
		begun := time.Now()
		check(t, part, content.Sanitise(fragment))
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("256 KiB of %q take %s", part, took)
		}
	}
}

// BenchmarkSanitise sanitises 100 KiB of an ordinary article.
func BenchmarkSanitise(b *testing.B) {
	const part = `<h2>A heading</h2><p>Some <b>bold</b> text with a <a href="https://hub.example/a?b=c">link</a>, which goes on for a while.</p>
<ul><li>One</li><li>Two</li></ul><table><tr><th>a</th><td colspan="2">b</td></tr></table><img src="/files/0123456789abcdef0123456789abcdef" alt="x" width="640">`
	article := strings.Repeat(part, 100<<10/len(part)+1)
	b.SetBytes(int64(len(article)))
	for b.Loop() {
		content.Sanitise(article)
	}
}
