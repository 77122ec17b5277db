package content

import (
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

// Policy is the number of the policy by which Sanitise works. Whoever changes what Sanitise answers adds 1 to it: then
// stored articles are sanitised again.
const Policy = 1

const (
	// link is an address that a reader may follow, as the whole value of an attribute: of the web, of mail, of a
	// place on the page, or a path of Hub's own origin. Nothing in it is a character that browsers skip, change or
	// do not show (WHATWG URL, basic URL parser), so that they find what this pattern finds.
	link = `^(?:(?i:https?)://[^/` + never + `][^` + never + `]*|(?i:mailto):[^` + never + `]+|#[^` + never + `]*|/(?:[^/` + never + `][^` + never + `]*)?)$`
	// never are white space, control and format characters, and backslashes.
	never = `\\\s\pC\pZ`
)

var (
	linkPattern  = regexp.MustCompile(link)
	imagePattern = regexp.MustCompile(`^/files/[0-9a-f]{32}$`)
	countPattern = regexp.MustCompile(`^[1-9][0-9]{0,2}$`)
	sizePattern  = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	scopePattern = regexp.MustCompile(`^(?:row|col|rowgroup|colgroup)$`)
)

// policy allows what texts are made of and nothing else: no attribute can hold a script or a style, and no element
// loads anything but an image of Hub's own.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "div", "span", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "figure", "figcaption",
		"b", "strong", "i", "em", "u", "s", "del", "ins", "mark", "small", "sub", "sup", "code", "kbd", "samp", "var", "q", "cite", "abbr",
		"ul", "ol", "li", "dl", "dt", "dd",
		"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
	)
	p.AllowNoAttrs().OnElements("span")
	p.AllowAttrs("href").Matching(linkPattern).OnElements("a")
	p.AllowAttrs("src").Matching(imagePattern).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(sizePattern).OnElements("img")
	p.AllowAttrs("colspan", "rowspan").Matching(countPattern).OnElements("th", "td")
	p.AllowAttrs("scope").Matching(scopePattern).OnElements("th")
	p.AllowAttrs("start").Matching(sizePattern).OnElements("ol")
	// Browsers show what is inside of these.
	p.AllowElementsContent("frame", "frameset", "object", "nostyle")
	return p
}()

// Sanitise gives the part of an HTML fragment that is allowed. Text stays, also of elements that are not allowed,
// where browsers show it. Sanitising twice is the same as once.
func Sanitise(fragment string) string {
	// A < in the output begins a tag: text and values of attributes have it escaped.
	return strings.ReplaceAll(policy.Sanitize(fragment), "<a ", `<a rel="noreferrer noopener" target="_blank" `)
}

// current sanitises the HTML of an article that no pass has reached yet.
func current(a Article) Article {
	if a.Policy < Policy {
		a.HTML = Sanitise(a.HTML)
	}
	return a
}
