// Package docs checks the documentation: that every link to a file or a heading of the repository leads
// there.
package docs

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// page is a Markdown file without its code.
type page struct {
	links   []string
	anchors []string
}

// CheckLinks tells which links of the Markdown files below root lead nowhere, a sentence each. Files that
// git ignores, by the names of their folders, do not count, and links to other hosts are not followed.
func CheckLinks(root string, ignored ...string) ([]string, error) {
	pages := map[string]page{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains(ignored, d.Name())) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pages[path] = read(string(text))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("there is no Markdown file below %s", root)
	}
	var findings []string
	for path, p := range pages {
		for _, link := range p.links {
			if fault := follow(pages, path, link); fault != "" {
				findings = append(findings, fmt.Sprintf("%s: %s: %s", path, link, fault))
			}
		}
	}
	slices.Sort(findings)
	return findings, nil
}

// follow tells what is wrong with a link; empty if nothing is.
func follow(pages map[string]page, from, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	target := from
	if u.Path != "" {
		target = filepath.Join(filepath.Dir(from), filepath.FromSlash(u.Path))
		if _, err := os.Stat(target); err != nil {
			return "there is no such file"
		}
	}
	if u.Fragment != "" && !slices.Contains(pages[target].anchors, u.Fragment) {
		return "there is no such heading"
	}
	return ""
}

var (
	fence   = regexp.MustCompile("^ *(```+|~~~+)")
	code    = regexp.MustCompile("`+[^`]*`+")
	inline  = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)`)
	defined = regexp.MustCompile(`^ {0,3}\[[^\]]+\]: +<?([^\s>]+)>?`)
	bare    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	heading = regexp.MustCompile(`^ {0,3}#{1,6} +(.*?) *#* *$`)
)

// read finds the links and the anchors of the headings.
func read(text string) page {
	var p page
	fenced := ""
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if mark := fence.FindStringSubmatch(line); mark != nil {
			switch {
			case fenced == "":
				fenced = mark[1]
			case strings.HasPrefix(mark[1], fenced):
				fenced = ""
			}
			continue
		}
		if fenced != "" {
			continue
		}
		if h := heading.FindStringSubmatch(line); h != nil {
			a := anchor(h[1])
			if n := seen[a]; n > 0 {
				p.anchors = append(p.anchors, fmt.Sprintf("%s-%d", a, n))
			} else {
				p.anchors = append(p.anchors, a)
			}
			seen[a]++
		}
		line = code.ReplaceAllString(line, "")
		for _, found := range inline.FindAllStringSubmatch(line, -1) {
			p.links = append(p.links, found[1])
		}
		if found := defined.FindStringSubmatch(line); found != nil {
			p.links = append(p.links, found[1])
		}
	}
	return p
}

// anchor is what the usual hosts of repositories make of a heading.
func anchor(title string) string {
	title = bare.ReplaceAllString(title, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, title)
}
