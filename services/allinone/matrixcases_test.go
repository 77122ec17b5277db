package allinone_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/auth/authtest"
)

type object = authtest.Object

// person is what a user's token has beyond a client's.
var person = object{
	"aud": "hub-users", "sub": "u-1", "client_id": "app", "scope": "hub:user", "preferred_username": "amy", "name": secret,
}

// administrator is what a user's token has who may do everything.
var administrator = object{"sub": "u-2", "preferred_username": "carla", "roles": []string{"hub-admin"}}

// token is a good token of a client, or with person of a user, with further changes.
func (i *issuer) token(kind, changes object) string {
	return authtest.SignRS256(authtest.OwnKey(), authtest.GoodHeader, i.claims(kind, changes))
}

func (i *issuer) claims(kind, changes object) object {
	now := time.Now()
	return object{
		"iss": i.url, "aud": "hub", "sub": "erp", "client_id": "erp", "scope": "client",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": "j1",
	}.With(kind).With(changes)
}

// bad are headers that let nobody in, by what is wrong with them.
func (m *matrix) bad(t *testing.T) map[string]http.Header {
	t.Helper()
	all := map[string]http.Header{"nothing": {}}
	for kind, tokens := range map[string]map[string]string{
		"client": m.clients.badTokens(object{}),
		"user":   m.users.badTokens(person),
	} {
		for name, token := range tokens {
			all[kind+"'s token, "+name] = http.Header{"Authorization": {"Bearer " + token}}
		}
	}
	maps.Copy(all, m.badHeaders())
	maps.Copy(all, m.badCookies(t))
	maps.Copy(all, m.badSites())
	return all
}

// badTokens are tokens of a kind with one fault each.
func (i *issuer) badTokens(kind object) map[string]string {
	good := i.token(kind, nil)
	parts := strings.Split(good, ".")
	all := i.claims(kind, nil)
	changed := func(claims object) string { return i.token(kind, claims) }
	typed := func(header object) string {
		return authtest.SignRS256(authtest.OwnKey(), authtest.GoodHeader.With(header), all)
	}
	public := authtest.Must(x509.MarshalPKIXPublicKey(authtest.OwnKey().Public()))
	none := authtest.GoodHeader.With(object{"alg": "none"})
	hs := authtest.GoodHeader.With(object{"alg": "HS256"})
	unix := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	return map[string]string{
		"not a token":             "x",
		"without a signature":     parts[0] + "." + parts[1] + ".",
		"of two parts":            parts[0] + "." + parts[1],
		"of four parts":           good + "." + parts[2],
		"cut":                     good[:len(good)-8],
		"with another signature":  parts[0] + "." + parts[1] + "." + strings.Split(changed(object{"jti": "j2"}), ".")[2],
		"with changed claims":     parts[0] + "." + authtest.Encode(all.With(object{"preferred_username": "ben", "client_id": "crm"})) + "." + parts[2],
		"alg none":                authtest.Encode(none) + "." + parts[1] + ".",
		"alg none, signed":        authtest.Encode(none) + "." + parts[1] + "." + parts[2],
		"HS256 with the key":      authtest.SignHS256(public, hs, all),
		"of a foreign key":        authtest.SignRS256(authtest.ForeignKey(), authtest.GoodHeader, all),
		"with a foreign key":      authtest.SignRS256(authtest.ForeignKey(), authtest.GoodHeader.With(object{"jwk": authtest.PublicKey("k1", authtest.ForeignKey())}), all),
		"of an unknown key":       typed(object{"kid": "k2"}),
		"without a key id":        typed(object{"kid": nil}),
		"typ of a logout token":   typed(object{"typ": "logout+jwt"}),
		"typ of a ticket":         typed(object{"typ": "hub-jump+jwt"}),
		"typ of a refresh token":  changed(object{"typ": "Refresh"}),
		"with crit":               typed(object{"crit": []string{"exp"}, "exp": unix(time.Hour)}),
		"with the nonce of an ID": changed(object{"nonce": "n"}),
		"an ID token":             changed(object{"aud": "hub-portal", "nonce": "n", "scope": nil}),
		"a logout token":          changed(object{"events": object{"http://schemas.openid.net/event/backchannel-logout": object{}}}),
		"of another issuer":       changed(object{"iss": "https://issuer.test"}),
		"of an issuer below":      changed(object{"iss": i.url + "/"}),
		"of no issuer":            changed(object{"iss": nil}),
		"of two issuers":          changed(object{"iss": []string{i.url}}),
		"for another audience":    changed(object{"aud": "crm"}),
		"for an audience below":   changed(object{"aud": "hub-user"}),
		"for no audience":         changed(object{"aud": nil}),
		"expired":                 changed(object{"exp": unix(-time.Hour)}),
		"expired by two minutes":  changed(object{"exp": unix(-2 * time.Minute)}),
		"without an end":          changed(object{"exp": nil}),
		"with an end as a word":   changed(object{"exp": "2999-01-01"}),
		"not yet valid":           changed(object{"nbf": unix(time.Hour)}),
		"issued in the future":    changed(object{"iat": unix(time.Hour)}),
		"without a scope":         changed(object{"scope": nil}),
		"of an empty scope":       changed(object{"scope": ""}),
		"of another scope":        changed(object{"scope": "profile"}),
		"of a scope in capitals":  changed(object{"scope": "CLIENT HUB:USER"}),
		"of a part of the scope":  changed(object{"scope": "clien hub:use"}),
		"claims that are no JSON": authtest.SignRS256(authtest.OwnKey(), authtest.GoodHeader, []byte(`{`)),
		"claims that are null":    authtest.SignRS256(authtest.OwnKey(), authtest.GoodHeader, []byte(`null`)),
		"of one part":             parts[1],
		"with a blank inside":     parts[0] + ". " + parts[1] + "." + parts[2],
		"with a padded header":    parts[0] + "=." + parts[1] + "." + parts[2],
		"with another header":     authtest.Encode(authtest.GoodHeader.With(object{"x": 1})) + "." + parts[1] + "." + parts[2],
		"of an unknown algorithm": typed(object{"alg": "RS1"}),
		"of an empty key id":      typed(object{"kid": ""}),
		"with an end that is 0":   changed(object{"exp": 0}),
		"of a scope in a list":    changed(object{"scope": []string{"clients", "hub:users"}}),
		"a token in a token":      base64.RawURLEncoding.EncodeToString([]byte(good)),
	}
}

// badHeaders are other ways of asking.
func (m *matrix) badHeaders() map[string]http.Header {
	client, user := m.clients.token(nil, nil), m.users.token(person, nil)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("erp:erp-secret"))
	all := map[string]http.Header{
		"a client called as a user":       bearer(m.clients.token(nil, object{"client_id": "user:amy"})),
		"a client without a name":         bearer(m.clients.token(nil, object{"client_id": nil, "sub": nil})),
		"two tokens":                      {"Authorization": {"Bearer " + client, "Bearer " + client}},
		"a client's token and a user's":   {"Authorization": {"Bearer " + client, "Bearer " + user}},
		"a good token and another scheme": {"Authorization": {"Bearer " + client, basic}},
		"two tokens in one header":        {"Authorization": {"Bearer " + client + ", Bearer " + client}},
		"an empty header":                 {"Authorization": {""}},
		"a scheme alone":                  {"Authorization": {"Bearer"}},
		"a token without a scheme":        {"Authorization": {client}},
		"a token of another scheme":       {"Authorization": {"DPoP " + client}},
		"a token after a word":            {"Authorization": {"Bearer token " + client}},
		"a secret":                        {"Authorization": {basic}},
		"a token in another header":       {"X-Access-Token": {client}, "Proxy-Authorization": {"Bearer " + client}},
		"a token in a cookie":             {"Cookie": {"access_token=" + client + "; token=" + client + "; hub-session=" + client}},
		"a user's token in a cookie":      {"Cookie": {"hub-session=" + user + "; __Host-hub-session=" + user}},
		"a name in a header":              {"Hub-User": {"amy"}, "Hub-Permissions": {"*"}},
		"a name beside a bad token":       {"Hub-User": {"amy"}, "Authorization": {"Bearer x"}},
		"a name for gRPC in a header":     {"Grpc-Metadata-Hub-User": {"amy"}, "Grpc-Metadata-Hub-Permissions": {"todos"}},
		"a token for gRPC in a header":    {"Grpc-Metadata-Authorization": {"Bearer " + client}},
		"a made-up internal key":          {"Hub-Internal-Key": {"x"}, "Hub-User": {"amy"}},
		"an internal key as a token":      {"Authorization": {"Internal x"}, "Hub-User": {"amy"}},
		"an empty internal key":           {"Hub-Internal-Key": {""}, "Hub-User": {"amy"}},
		"who one is, by a proxy":          {"X-Forwarded-User": {"amy"}, "X-Remote-User": {"amy"}, "Remote-User": {"amy"}},
		"a certificate's name by a proxy": {"X-Forwarded-Client-Cert": {"Subject=\"CN=edge.hub.test\""}, "X-Ssl-Client-Dn": {"CN=edge"}},
		"another method in a header":      {"X-Http-Method-Override": {"GET"}, "X-Method-Override": {"GET"}},
	}
	return all
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
