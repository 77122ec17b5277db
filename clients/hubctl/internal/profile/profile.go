// Package profile keeps where Hubs are and as which client they are called.
package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Profile is a Hub and a client of it.
type Profile struct {
	// URL is the address of the Hub, without a slash at its end.
	URL string `json:"url"`
	// ClientID and ClientSecret get tokens.
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// TokenURL is the token endpoint where it is not Hub's own; else empty.
	TokenURL string `json:"tokenUrl,omitempty"`
	// CAFile has the authorities of the Hub's certificate in PEM; empty means those of the system.
	CAFile string `json:"caFile,omitempty"`
}

// Default is the name of the profile that a first login makes.
const Default = "default"

// File is the file with all profiles.
type File struct {
	// Current is the name of the profile that counts where none is named.
	Current  string             `json:"current"`
	Profiles map[string]Profile `json:"profiles"`

	path string
}

// Path is where the profiles are, in the user's folder of settings.
func Path() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for profiles: %w", err)
	}
	return filepath.Join(dir, "hubctl", "profiles.json"), nil
}

// Open reads the profiles. A file that others may read is refused, as it has secrets in it; one that is not
// there has no profiles.
func Open(path string) (*File, error) {
	f := &File{Profiles: map[string]Profile{}, path: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s has secrets in it, and its mode %04o lets others read them: chmod 600 %s", path, mode, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Save writes the profiles with mode 0600, whole or not at all.
func (f *File) Save() error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	next, err := os.CreateTemp(dir, ".profiles-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(next.Name()) }()
	_, err = next.Write(append(text, '\n'))
	if err = errors.Join(err, next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), f.path)
}

// Names are the names of all profiles, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Profiles)) }

// ErrNone says that there is no profile yet.
var ErrNone = errors.New("there is no profile yet: hubctl login URL makes one")

// Find gives a profile by its name; an empty name means the current one.
func (f *File) Find(name string) (Profile, error) {
	if name == "" {
		name = f.Current
	}
	p, ok := f.Profiles[name]
	switch {
	case ok:
		return p, nil
	case len(f.Profiles) == 0:
		return p, ErrNone
	case name == "":
		return p, fmt.Errorf("no profile is chosen: hubctl profile use NAME, of %s", strings.Join(f.Names(), ", "))
	}
	return p, fmt.Errorf("there is no profile %q, but %s", name, strings.Join(f.Names(), ", "))
}

// CheckName refuses what is no name of a profile.
func CheckName(name string) error {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("the name of a profile has letters, digits, -, _ and ., not %q", name)
	}
	return nil
}

// Address checks the address of a Hub and gives it without a slash at its end.
func Address(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("the address of a Hub is like https://hub.example.com, not %q", raw)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}
