package front

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// tagBytes of a hash make a tag, which is enough to tell the answers to one path apart.
const tagBytes = 12

// Tag gives the entity tag of a body. It is a strong one: equal bodies alone have the same.
func Tag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:tagBytes]) + `"`
}

// NoneMatches tells whether a condition If-None-Match is there and fails, so that the caller has the body of
// a tag already (RFC 9110, section 13.1.2): the field is a list of tags that has this one by the weak
// comparison, or *. What is no list counts up to where it is one.
func NoneMatches(header http.Header, tag string) bool {
	list := strings.Join(header.Values("If-None-Match"), ",")
	if strings.Trim(list, " \t") == "*" {
		return true
	}
	for {
		list = strings.TrimLeft(list, ", \t")
		quoted, ok := strings.CutPrefix(strings.TrimPrefix(list, "W/"), `"`)
		if !ok {
			return false
		}
		opaque, rest, ok := strings.Cut(quoted, `"`)
		if !ok {
			return false
		}
		if `"`+opaque+`"` == tag {
			return true
		}
		list = rest
	}
}
