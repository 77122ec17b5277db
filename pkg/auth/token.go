package auth

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxClientID     = 128 // characters
	maxTokenIDBytes = 255
	// lastInstant is the end of the year 9999.
	lastInstant = 253402300799
)

// checkForm checks what can be said without a key: compact form with exactly one encoding of its
// three parts, a key id, nothing that demands more of the reader (crit), and the type.
func checkForm(raw, requireType string) error {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return fmt.Errorf("token has %d parts", len(parts))
	}
	var decoded [3][]byte
	for i, p := range parts {
		// The decoder skips line ends.
		if strings.ContainsAny(p, "\r\n") {
			return errors.New("token has a line end")
		}
		var err error
		if decoded[i], err = base64.RawURLEncoding.Strict().DecodeString(p); err != nil {
			return fmt.Errorf("decode part %d: %w", i, err)
		}
	}
	if !utf8.Valid(decoded[1]) {
		return errors.New("claims are not UTF-8")
	}
	var header claims
	if err := json.Unmarshal(decoded[0], &header); err != nil {
		return fmt.Errorf("decode header: %w", err)
	}
	if _, present := header["crit"]; present {
		return errors.New("header has crit")
	}
	if kid, ok := header.text("kid"); !ok || kid == "" {
		return errors.New("header has no kid")
	}
	return checkType(header, requireType)
}

// checkType checks the typ of the header. A type of its own kind, such as logout+jwt, is never an
// access token (RFC 8725 section 3.11).
func checkType(header claims, requireType string) error {
	_, present := header["typ"]
	typ, ok := header.text("typ")
	if present && !ok {
		return errors.New("typ is no string")
	}
	typ = strings.TrimPrefix(strings.ToLower(typ), "application/")
	switch {
	case requireType != "" && typ != requireType:
		return fmt.Errorf("typ is not %s", requireType)
	case strings.HasSuffix(typ, "+jwt") && typ != TypeAccessToken:
		return errors.New("typ is of another kind of token")
	}
	return nil
}

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

func (c claims) has(name, value string) bool { return slices.Contains(c.list(name), value) }

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

// ValidClientID tells whether id can be the source of a record: 1 to 128 characters, not only
// blanks, and none that is unreadable.
func ValidClientID(id string) bool {
	return strings.TrimSpace(id) != "" && utf8.RuneCountInString(id) <= maxClientID &&
		!strings.ContainsFunc(id, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) })
}
