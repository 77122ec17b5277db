package portal

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func sanitiseCases() []peopleCase {
	return []peopleCase{
		{"texts, tables, lists, links and images of Hub's own stay", harmlessStays},
		{"nothing hostile is left of an article", hostileArticles},
		{"addresses that run something or lead astray vanish and their text stays", hostileHrefs},
		{"images from elsewhere vanish", hostileSources},
		{"what was sanitised is not changed again", sanitisedTwice},
	}
}

// sanitised stores HTML and gives what readers get.
func (st *stage) sanitised(t *testing.T, a storedArticle, c storedChannel, html string) string {
	t.Helper()
	stored := decode[storedArticle](t, st.put(t, a.ID, text(c, map[string]any{"contentHtml": html})).data(t))
	return stored.ContentHTML
}

func harmlessStays(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	const link = `<a rel="noreferrer noopener" target="_blank" href="`
	for html, clean := range map[string]string{
		"<h2>A</h2><p>b <b>c</b> <i>d</i><br>e</p><hr>": "", "<ul><li>a</li></ul><ol start=\"2\"><li>b</li></ol>": "",
		`<table><tbody><tr><th scope="col">a</th><td colspan="2">b</td></tr></tbody></table>`:     "",
		`<img src="/files/0123456789abcdef0123456789abcdef" alt="A dog" width="640" height="48">`: "",
		`<a href="https://hub.example/a?b=c#d">x</a>`:                                             link + `https://hub.example/a?b=c#d">x</a>`,
		`<a href="mailto:a@hub.example">x</a>`:                                                    link + `mailto:a@hub.example">x</a>`,
		`<a href="#top" rel="opener" target="_top">x</a>`:                                         link + `#top">x</a>`,
		`<a href="/portal/">x</a>`:                                                                link + `/portal/">x</a>`,
	} {
		if clean == "" {
			clean = html
		}
		want(t, html, st.sanitised(t, a, c, html), clean)
	}
	if got := decode[storedArticle](t, st.hers.get(t, "/cms/articles/"+a.ID).data(t)); got.ContentHTML != st.read(t, a.ID).ContentHTML {
		t.Errorf("its readers get %q", got.ContentHTML)
	}
}

var (
	// tag is what begins an element in HTML that Hub has sanitised.
	tag = regexp.MustCompile(`<[^>]*>?`)
	// harmless are the tags that may be there.
	harmless = regexp.MustCompile(`^</?(?:p|div|span|br|hr|h[1-6]|blockquote|pre|figure|figcaption|b|strong|i|em|u|s|del|ins|mark|small|sub|sup|code|kbd|samp|var|q|cite|abbr|ul|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|ol|td|th|a)/?>$` +
		`|^<ol start="[0-9]{1,4}"/?>$|^<t[dh](?: (?:colspan|rowspan)="[0-9]{1,3}"| scope="[a-z]+")+/?>$` +
		`|^<a rel="noreferrer noopener" target="_blank"(?: href="(?:https?://[^/\\\s"]|mailto:[^\\\s"]|#|/[^/\\\s"]|/")[^\\\s"]*"?)+/?>$` +
		`|^<img(?: src="/files/[0-9a-f]{32}"| alt="[^"<>]*"| (?:width|height)="[0-9]{1,4}")+/?>$`)
)

// hidden are fragments of which browsers do not show the word: it stands in a script, or behind a tag without an end.
var hidden = regexp.MustCompile(`<(?i:script|style|iframe|noscript|noembed|noframes|title|!--)|<[^>]*$`)

func hostileArticles(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	all := HostileFragments()
	if len(all) < 200 {
		t.Errorf("%d hostile fragments, want at least 200", len(all))
	}
	for _, fragment := range all {
		clean := st.sanitised(t, a, c, fragment)
		for _, found := range tag.FindAllString(clean, -1) {
			if !harmless.MatchString(found) {
				t.Errorf("%q became %q, with %s", fragment, clean, found)
			}
		}
		if !strings.Contains(clean, Kept) && !hidden.MatchString(fragment) {
			t.Errorf("%q became %q", fragment, clean)
		}
	}
}

func hostileHrefs(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	for _, href := range HostileAddresses() {
		for _, quote := range []string{`"`, `'`} {
			html := "<p><a href=" + quote + href + quote + ">" + Kept + "</a> and more</p>"
			want(t, html, st.sanitised(t, a, c, html), "<p>"+Kept+" and more</p>")
		}
	}
}

func hostileSources(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	for _, src := range HostileImages() {
		html := `<p><img src="` + src + `">` + Kept + `</p>`
		want(t, html, st.sanitised(t, a, c, html), "<p>"+Kept+"</p>")
	}
}

func sanitisedTwice(t *testing.T, st *stage) {
	c := st.channel(t, nil)
	a := st.published(t, c, nil)
	html := strings.Join(HostileFragments()[:200], "\n") + `<p>"x" 'y' &amp; <a href="/x?a=b&c=d">z</a></p>`
	once := st.sanitised(t, a, c, html)
	want(t, "the second time", st.sanitised(t, a, c, once), once)
	st.admin(t, http.MethodPost, articlesPath+"/"+a.ID+"/publish", "").data(t)
	if got := decode[storedArticle](t, st.hers.get(t, "/cms/articles/"+a.ID).data(t)); got.ContentHTML != once {
		t.Errorf("its readers get %q", got.ContentHTML)
	}
}
