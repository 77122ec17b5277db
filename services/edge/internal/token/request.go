package token

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"
)

const maxFormBytes = 8 << 10

// readForm reads the parameters from the body, never from the query, which ends up in logs. A
// parameter without a value counts as left out, and none may be repeated (RFC 6749 section 3.2).
func readForm(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	if r.Method != http.MethodPost {
		return nil, &refusal{status: http.StatusMethodNotAllowed, Code: "invalid_request", Description: "the method must be POST"}
	}
	if r.URL.RawQuery != "" {
		return nil, invalidRequest("parameters must be in the body")
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return nil, invalidRequest("the content type must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFormBytes))
	if err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, &refusal{status: http.StatusRequestEntityTooLarge, Code: "invalid_request", Description: "the body is too large"}
		}
		return nil, invalidRequest("the body cannot be read")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalidRequest("the body is no form")
	}
	form := make(map[string]string, len(values))
	for name, v := range values {
		if len(v) != 1 {
			return nil, invalidRequest("a parameter is repeated")
		}
		if !utf8.ValidString(v[0]) {
			return nil, invalidRequest("a parameter is not UTF-8")
		}
		form[name] = v[0]
	}
	return form, nil
}

// checkGrant lets only the grant of the contract pass (contract, Authentication 3).
func checkGrant(form map[string]string) error {
	switch form["grant_type"] {
	case grantClientCredentials:
		return nil
	case "":
		return invalidRequest("grant_type is missing")
	default:
		return &refusal{
			status: http.StatusBadRequest, Code: "unsupported_grant_type",
			Description: "grant_type must be " + grantClientCredentials,
		}
	}
}

// credentials are what a client presents.
type credentials struct{ id, secret string }

// readCredentials takes id and secret from the form or from HTTP Basic; both at once are refused
// (RFC 6749 section 2.3).
func readCredentials(r *http.Request, form map[string]string) (credentials, error) {
	inForm := credentials{id: form["client_id"], secret: form["client_secret"]}
	given, err := hasAuthorization(r)
	if err != nil {
		return credentials{}, err
	}
	if !given {
		if inForm.id == "" {
			return credentials{}, invalidRequest("client_id is missing")
		}
		if inForm.secret == "" {
			return credentials{}, invalidRequest("client_secret is missing")
		}
		return inForm, nil
	}
	basic, err := readBasic(r)
	if err != nil {
		return credentials{}, err
	}
	if inForm.secret != "" || inForm.id != "" && inForm.id != basic.id {
		return credentials{}, invalidRequest("the client must be named in one way only")
	}
	return basic, nil
}

// hasAuthorization tells whether a request has an Authorization header, of which there may be one.
func hasAuthorization(r *http.Request) (bool, error) {
	n := len(r.Header.Values("Authorization"))
	if n > 1 {
		return false, invalidRequest("authorization must be given once")
	}
	return n == 1, nil
}

// readBasic decodes HTTP Basic, whose two parts are form-encoded (RFC 6749 section 2.3.1).
func readBasic(r *http.Request) (credentials, error) {
	rawID, rawSecret, ok := r.BasicAuth()
	if !ok {
		return credentials{}, notBasic()
	}
	id, err := url.QueryUnescape(rawID)
	if err != nil {
		return credentials{}, invalidRequest("the client id is not form-encoded")
	}
	secret, err := url.QueryUnescape(rawSecret)
	if err != nil {
		return credentials{}, invalidRequest("the client secret is not form-encoded")
	}
	if id == "" || secret == "" {
		return credentials{}, invalidRequest("authorization must carry a client id and a secret")
	}
	return credentials{id: id, secret: secret}, nil
}

func notBasic() *refusal {
	return &refusal{
		status: http.StatusUnauthorized, Code: "invalid_client", Description: "authorization must have the scheme Basic",
	}
}
