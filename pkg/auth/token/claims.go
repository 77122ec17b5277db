package token

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxTokenIDBytes = 255
	// lastInstant is the end of the year 9999.
	lastInstant = 253402300799
)

// claims are the members of a JSON object by their exact names.
type claims map[string]json.RawMessage

// text gives a member that is a string.
func (c claims) text(name string) (string, bool) {
	raw := c[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// list gives the strings of a member that is a string or an array.
func (c claims) list(name string) []string {
	if s, ok := c.text(name); ok {
		return []string{s}
	}
	var values []any
	if json.Unmarshal(c[name], &values) != nil {
		return nil
	}
	var out []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// isFor tells whether aud names an audience exactly.
func (c claims) isFor(audience string) bool { return slices.Contains(c.list("aud"), audience) }

// scopes gives the scopes of a member: a string of names with blanks between them (RFC 6749 section
// 3.3), or an array of names. A value of another kind holds none.
func (c claims) scopes(name string) []string {
	if s, ok := c.text(name); ok {
		return slices.DeleteFunc(strings.Split(s, " "), func(scope string) bool { return scope == "" })
	}
	return slices.DeleteFunc(c.list(name), func(scope string) bool {
		return scope == "" || strings.Contains(scope, " ")
	})
}

// instant gives a member that is a NumericDate (RFC 7519 section 2).
func (c claims) instant(name string) (t time.Time, ok bool, err error) {
	raw, present := c[name]
	if !present {
		return time.Time{}, false, nil
	}
	seconds, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("%s is no number", name)
	}
	if !(seconds >= 0 && seconds <= lastInstant) {
		return time.Time{}, false, fmt.Errorf("%s is out of range", name)
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*float64(time.Second))), true, nil
}

// checkKind refuses tokens that were not made for access. OpenID Connect gives ID tokens no type, so
// they are known by the claims that only they have (OpenID Connect Core, ID Token; Back-Channel
// Logout, events) and by the words of well-known providers: typ of Keycloak, token_use of Cognito,
// tokenType of Casdoor.
func (c claims) checkKind() error {
	for _, name := range []string{"at_hash", "c_hash", "s_hash", "nonce", "events"} {
		if _, present := c[name]; present {
			return fmt.Errorf("%s is not a claim of an access token", name)
		}
	}
	for _, name := range []string{"typ", "token_use", "tokenType"} {
		kind, _ := c.text(name)
		kind = strings.ToLower(kind)
		for _, other := range []string{"id", "refresh", "offline", "logout"} {
			if rest, found := strings.CutPrefix(kind, other); found && (rest == "" || strings.ContainsAny(rest[:1], "-_ +")) {
				return fmt.Errorf("%s names another kind of token", name)
			}
		}
	}
	return nil
}
