package file

import (
	"strings"
	"unicode"

	"example.com/hub/pkg/field"
)

const (
	// maxName is the longest name of a file in characters.
	maxName = 255
	// noName is what a file is called that came without a name.
	noName = "file"
)

// baseName gives the name under which a file is kept: of a path, which some browsers send, what follows the last
// separator. Characters that change how a name reads are refused, since "gpj.exe" can look like "exe.jpg".
func baseName(name string) (string, error) {
	if name == "" {
		return noName, nil
	}
	base := strings.Trim(name[strings.LastIndexAny(name, `/\`)+1:], " ")
	var c field.Checks
	c.Text("name", base, maxName, field.Required)
	if base == "." || base == ".." {
		c.Fail("name", "must not be %q", base)
	}
	if strings.ContainsFunc(base, misleading) {
		c.Fail("name", "must not contain control characters")
	}
	return base, c.Err()
}

// misleading tells control characters from others: those of the C0 and C1 sets, ends of lines and paragraphs,
// and those that change the direction of text (Unicode Standard Annex 9, section 2).
func misleading(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == unicode.ReplacementChar
}
