// Package issuer answers the token endpoint as Hub's own issuer: it gives clients access tokens for their
// secret, and publishes the keys to check them with.
package issuer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/clients"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/reload"
	"example.com/hub/services/edge/internal/oauth"
	"example.com/hub/services/edge/internal/signing"
)

// Paths below the public URL. The first is the contract's (Authentication 3); the metadata paths are
// those of OpenID Connect Discovery section 4 and RFC 8414 section 3.
const (
	PathToken     = "/api/login/oauth/token"
	PathKeys      = "/.well-known/jwks.json"
	PathDiscovery = "/.well-known/openid-configuration"
	PathMetadata  = "/.well-known/oauth-authorization-server"
)

// Deps are what an issuer needs besides its settings.
type Deps struct {
	// Clock is the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets refusals; nil means slog.Default().
	Logger *slog.Logger
	// Clients are clients besides those of the file, such as DemoClients. The file's come first.
	Clients []clients.Client
	// Public is set when others than this machine can reach the issuer: then no client may have a secret of
	// DemoClients, unless the settings allow it.
	Public bool
	// Users says that there are users: then no client may have an id that is auth.Reserved.
	Users bool
	// CreateKeys makes the file with the signing key when there is none. Only an issuer that runs
	// once may do so, because others would not have its key.
	CreateKeys bool
	// RemoteAddr gives the address of whoever sent a request, for the limit on failures; nil means
	// that of the connection. Behind a proxy it must be the one that the proxy tells, or all callers
	// share one limit.
	RemoteAddr func(*http.Request) string
}

// Issuer issues access tokens (RFC 9068) to clients with a secret (RFC 6749 section 4.4).
type Issuer struct {
	cfg       Config
	clock     func() time.Time
	logger    *slog.Logger
	address   func(*http.Request) string
	keys      *signing.Keys
	clients   *reload.Value[registry] // nil without a file
	extra     registry
	limiter   *limiter
	discovery []byte
}

// Open reads the keys and clients. It answers an error that names the setting at fault.
func Open(cfg Config, d Deps) (*Issuer, error) {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.RemoteAddr == nil {
		d.RemoteAddr = peerAddress
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.PublicURL == "" {
		return nil, errors.New("HUB_PUBLIC_URL: must not be empty")
	}
	cfg.Audience = cmp.Or(cfg.Audience, token.DefaultAudience)
	i := &Issuer{cfg: cfg, clock: d.Clock, logger: d.Logger, address: d.RemoteAddr, limiter: newLimiter()}
	if err := i.openKeys(d); err != nil {
		return nil, err
	}
	if err := i.openClients(d); err != nil {
		return nil, err
	}
	var err error
	i.discovery, err = json.Marshal(i.metadata())
	if err != nil {
		return nil, fmt.Errorf("encode metadata: %w", err)
	}
	return i, nil
}

func (i *Issuer) openKeys(d Deps) (err error) {
	i.keys, err = signing.Open(signing.Deps{
		File: reload.File{Setting: "HUB_SIGNING_KEYS_FILE", Path: i.cfg.SigningKeysFile}, Type: token.TypeAccess,
		Create: d.CreateKeys, Clock: d.Clock, Logger: d.Logger,
	})
	return err
}

func (i *Issuer) openClients(d Deps) (err error) {
	f := reload.File{Setting: "HUB_CLIENTS_FILE", Path: i.cfg.ClientsFile}
	if i.extra, err = checkClients(d.Clients); err != nil {
		return fmt.Errorf("%s: %w", f.Setting, err)
	}
	if f.Path == "" {
		if len(i.extra) == 0 {
			return errors.New(f.Setting + ": must not be empty")
		}
		return nil
	}
	parse := parseClients
	if d.Public && !i.cfg.AllowDemoSecrets {
		parse = parseOwnClients
	}
	if d.Users {
		parse = besideUsers(parse)
	}
	i.clients, err = openFile(f, d, parse)
	return err
}

// Issuer is the iss of the tokens.
func (i *Issuer) Issuer() string { return i.cfg.PublicURL }

// Audience is the aud of the tokens.
func (i *Issuer) Audience() string { return i.cfg.Audience }

// Keys are the public keys in force, for keys.Local.
func (i *Issuer) Keys() []jose.JSONWebKey { return i.keys.Public() }

// clientsOf gives the clients among which an id is looked up. An id of the file hides the same id of the
// extra clients.
func (i *Issuer) clientsOf(id string) registry {
	if i.clients == nil {
		return i.extra
	}
	fromFile := i.clients.Current()
	if _, extra := i.extra[id]; extra && fromFile[id].id == "" {
		return i.extra
	}
	return fromFile
}

// accessToken is the content of a token (RFC 9068 section 2.2).
type accessToken struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	ID       string `json:"jti"`
}

// metadata is what OpenID Connect Discovery section 3 and RFC 8414 section 2 have in common, with
// the members that readers of either expect.
type metadata struct {
	Issuer        string   `json:"issuer"`
	TokenEndpoint string   `json:"token_endpoint"`
	JWKSURI       string   `json:"jwks_uri"`
	Scopes        []string `json:"scopes_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	ResponseTypes []string `json:"response_types_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	IDTokenAlgs   []string `json:"id_token_signing_alg_values_supported"`
}

func (i *Issuer) metadata() metadata {
	return metadata{
		Issuer:        i.cfg.PublicURL,
		TokenEndpoint: i.cfg.PublicURL + PathToken,
		JWKSURI:       i.cfg.PublicURL + PathKeys,
		Scopes:        []string{auth.ScopeClient, auth.ScopeDirectory},
		GrantTypes:    []string{oauth.GrantClientCredentials},
		AuthMethods:   []string{"client_secret_post", "client_secret_basic"},
		ResponseTypes: []string{},
		SubjectTypes:  []string{"public"},
		IDTokenAlgs:   []string{string(jose.RS256)},
	}
}

// ServeDiscovery answers PathDiscovery and PathMetadata.
func (i *Issuer) ServeDiscovery(w http.ResponseWriter, r *http.Request) {
	signing.ServeDocument(w, r, i.discovery)
}

// ServeKeys answers PathKeys with the public keys.
func (i *Issuer) ServeKeys(w http.ResponseWriter, r *http.Request) { i.keys.Serve(w, r) }
