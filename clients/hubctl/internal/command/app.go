// Package command is the command line of hubctl.
package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	hub "example.com/hub/clients/go"
	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/profile"
	"example.com/hub/clients/hubctl/internal/show"
	"example.com/hub/pkg/version"
)

// App is one call of hubctl.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	// Environ looks a variable of the environment up.
	Environ func(string) (string, bool)

	// These are flags that all commands have.
	profile string
	output  output
	timeout time.Duration
}

// Variables of the environment that stand in for a profile, or parts of it.
const (
	variableProfile = "HUBCTL_PROFILE"
	variableURL     = "HUBCTL_URL"
	variableID      = "HUBCTL_CLIENT_ID"
	variableSecret  = "HUBCTL_CLIENT_SECRET"
	variableCA      = "HUBCTL_CA_FILE"
)

// Main runs the command of the arguments, without the program's name, and gives the exit code.
func (a *App) Main(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	called, err := root.ExecuteContextC(ctx)
	code := exitCode(ctx, err)
	if err != nil && !errors.Is(err, errTold) {
		a.complain(called.CommandPath(), code, err)
	}
	return code
}

// variable is a variable of the environment, empty where it is not set.
func (a *App) variable(name string) string {
	value, _ := a.Environ(name)
	return value
}

// terminal is what is known of standard output.
func (a *App) terminal() show.Terminal { return show.TerminalOf(a.Out, a.Environ) }

// openProfiles reads the file of profiles.
func (a *App) openProfiles() (*profile.File, error) {
	path, err := profile.Path()
	if err != nil {
		return nil, err
	}
	return profile.Open(path)
}

// chosen is the profile that counts: that of --profile, or else what the environment says in the place of
// the fields of another one.
func (a *App) chosen() (profile.Profile, error) {
	if a.profile != "" {
		return a.find(a.profile)
	}
	named, address := a.variable(variableProfile), a.variable(variableURL)
	var p profile.Profile
	var err error
	if address == "" || named != "" {
		if p, err = a.find(named); err != nil {
			return p, err
		}
	}
	if address != "" {
		if address, err = profile.Address(address); err != nil {
			return p, fmt.Errorf("%s: %w", variableURL, err)
		}
		if address != p.URL { // the secret of one Hub is nothing for another
			p = profile.Profile{URL: address}
		}
	}
	p.ClientID = cmp.Or(a.variable(variableID), p.ClientID)
	p.ClientSecret = cmp.Or(a.variable(variableSecret), p.ClientSecret)
	p.CAFile = cmp.Or(a.variable(variableCA), p.CAFile)
	if p.ClientID == "" || p.ClientSecret == "" {
		return p, fmt.Errorf("there is no client for %s: set %s and %s, or unset %s and call hubctl login", p.URL, variableID, variableSecret, variableURL)
	}
	return p, nil
}

// find gives a profile of the file; an empty name means the current one.
func (a *App) find(name string) (profile.Profile, error) {
	file, err := a.openProfiles()
	if err != nil {
		return profile.Profile{}, err
	}
	return file.Find(name)
}

// client calls the Hub of the chosen profile.
func (a *App) client() (*api.Client, error) {
	p, err := a.chosen()
	if err != nil {
		return nil, err
	}
	return a.clientOf(p)
}

func (a *App) clientOf(p profile.Profile) (*api.Client, error) {
	transport, err := transportOf(p)
	if err != nil {
		return nil, err
	}
	// A redirect would lead away from the address that people have checked.
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	tokens := hub.NewTokens(hub.Credentials{
		URL: cmp.Or(p.TokenURL, p.URL+hub.TokenPath), ID: p.ClientID, Secret: p.ClientSecret, Scopes: []string{"client"}, Client: client,
	})
	return &api.Client{Base: p.URL, HTTP: client, Tokens: tokens, Timeout: a.timeout, UserAgent: userAgent()}, nil
}

func userAgent() string { return "hubctl/" + strings.ReplaceAll(version.Number(), " ", "_") }

func transportOf(p profile.Profile) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if p.CAFile == "" {
		return transport, nil
	}
	text, err := os.ReadFile(p.CAFile)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", p.CAFile)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
	return transport, nil
}
