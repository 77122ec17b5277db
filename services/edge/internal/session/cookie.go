package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// purpose is what the cookies are sealed for.
	purpose = "session"
	// maxCookie is the longest value of a cookie in bytes.
	maxCookie = 2048
	// maxName is the longest name of a person in bytes; more is cut off.
	maxName = 256
)

// cookieForm is how browsers know the cookie.
type cookieForm struct {
	name   string
	secure bool
}

// content is what a cookie says. The times are in milliseconds since 1970.
type content struct {
	// Secret is known to the cookie alone.
	Secret      string   `json:"id"`
	Username    string   `json:"user"`
	Name        string   `json:"name,omitzero"`
	Permissions []string `json:"perm,omitzero"`
	Begun       int64    `json:"begun"`
	// Renewed is when the store last said that the session lives.
	Renewed int64 `json:"at"`
}

func newSecret() string { return rand.Text() }

// id is what stands for a session where the secret must not be.
func (c *content) id() string {
	sum := sha256.Sum256([]byte(c.Secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (c *content) session(lifetime time.Duration) Session {
	return Session{
		ID: c.id(), Username: c.Username, Name: c.Name, Permissions: c.Permissions,
		Ends: time.UnixMilli(c.Begun).Add(lifetime),
	}
}

// errNoCookie is a request without a session cookie.
var errNoCookie = errors.New("no session cookie")

// read gives what the cookie of a request says, whatever its age.
func (s *Sessions) read(r *http.Request) (content, error) {
	var c content
	switch cookies := r.CookiesNamed(s.cookie.name); len(cookies) {
	case 0:
		return c, errNoCookie
	case 1:
		err := s.deps.Keys.Open(purpose, cookies[0].Value, &c)
		return c, err //nolint:wrapcheck // it says enough
	default:
		// Another page of the host, or of another port, may have set one of them.
		return c, errors.New("there are several session cookies")
	}
}

// set gives the browser a cookie that says c.
func (s *Sessions) set(w http.ResponseWriter, c content) error {
	text, err := s.deps.Keys.Seal(purpose, c)
	if err != nil {
		return err //nolint:wrapcheck // it says enough
	}
	if len(text) > maxCookie {
		return fmt.Errorf("the cookie of a session has %d bytes, more than %d", len(text), maxCookie)
	}
	s.write(w, text, 0)
	return nil
}

// clear takes the cookie from the browser.
func (s *Sessions) clear(w http.ResponseWriter) { s.write(w, "", -1) }

// write sets a cookie that goes to this host only, and with requests of its own pages only. It ends with the
// browser.
func (s *Sessions) write(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie.name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: s.cookie.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// shownName is a person's name without control characters, cut to maxName.
func shownName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	for len(name) > maxName {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return name
}
