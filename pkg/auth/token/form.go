package token

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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
	case strings.HasSuffix(typ, "+jwt") && typ != TypeAccess:
		return errors.New("typ is of another kind of token")
	}
	return nil
}
