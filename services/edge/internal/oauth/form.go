package oauth

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"
)

// GrantClientCredentials is the one grant of the contract (Authentication 3).
const GrantClientCredentials = "client_credentials"

const maxFormBytes = 8 << 10

// ReadForm reads the parameters from the body, never from the query, which ends up in logs. A
// parameter without a value counts as left out, and none may be repeated (RFC 6749 section 3.2).
func ReadForm(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	if r.Method != http.MethodPost {
		return nil, &Refusal{Status: http.StatusMethodNotAllowed, Code: "invalid_request", Description: "the method must be POST"}
	}
	if r.URL.RawQuery != "" {
		return nil, InvalidRequest("parameters must be in the body")
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return nil, InvalidRequest("the content type must be application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFormBytes))
	if err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "invalid_request", Description: "the body is too large"}
		}
		return nil, InvalidRequest("the body cannot be read")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, InvalidRequest("the body is no form")
	}
	form := make(map[string]string, len(values))
	for name, v := range values {
		if len(v) != 1 {
			return nil, InvalidRequest("a parameter is repeated")
		}
		if !utf8.ValidString(v[0]) {
			return nil, InvalidRequest("a parameter is not UTF-8")
		}
		form[name] = v[0]
	}
	return form, nil
}

// CheckGrant lets only the grant of the contract pass (contract, Authentication 3).
func CheckGrant(form map[string]string) error {
	switch form["grant_type"] {
	case GrantClientCredentials:
		return nil
	case "":
		return InvalidRequest("grant_type is missing")
	default:
		return &Refusal{
			Status: http.StatusBadRequest, Code: "unsupported_grant_type",
			Description: "grant_type must be " + GrantClientCredentials,
		}
	}
}

// Credentials are what a client presents.
type Credentials struct{ ID, Secret string }

// ReadCredentials takes id and secret from the form or from HTTP Basic; both at once are refused
// (RFC 6749 section 2.3).
func ReadCredentials(r *http.Request, form map[string]string) (Credentials, error) {
	inForm := Credentials{ID: form["client_id"], Secret: form["client_secret"]}
	given, err := HasAuthorization(r)
	if err != nil {
		return Credentials{}, err
	}
	if !given {
		if inForm.ID == "" {
			return Credentials{}, InvalidRequest("client_id is missing")
		}
		if inForm.Secret == "" {
			return Credentials{}, InvalidRequest("client_secret is missing")
		}
		return inForm, nil
	}
	basic, err := readBasic(r)
	if err != nil {
		return Credentials{}, err
	}
	if inForm.Secret != "" || inForm.ID != "" && inForm.ID != basic.ID {
		return Credentials{}, InvalidRequest("the client must be named in one way only")
	}
	return basic, nil
}

// HasAuthorization tells whether a request has an Authorization header, of which there may be one.
func HasAuthorization(r *http.Request) (bool, error) {
	n := len(r.Header.Values("Authorization"))
	if n > 1 {
		return false, InvalidRequest("authorization must be given once")
	}
	return n == 1, nil
}

// readBasic decodes HTTP Basic, whose two parts are form-encoded (RFC 6749 section 2.3.1).
func readBasic(r *http.Request) (Credentials, error) {
	rawID, rawSecret, ok := r.BasicAuth()
	if !ok {
		return Credentials{}, NotBasic()
	}
	id, err := url.QueryUnescape(rawID)
	if err != nil {
		return Credentials{}, InvalidRequest("the client id is not form-encoded")
	}
	secret, err := url.QueryUnescape(rawSecret)
	if err != nil {
		return Credentials{}, InvalidRequest("the client secret is not form-encoded")
	}
	if id == "" || secret == "" {
		return Credentials{}, InvalidRequest("authorization must carry a client id and a secret")
	}
	return Credentials{ID: id, Secret: secret}, nil
}

// NotBasic refuses an Authorization header of another scheme.
func NotBasic() *Refusal {
	return &Refusal{
		Status: http.StatusUnauthorized, Code: "invalid_client", Description: "authorization must have the scheme Basic",
	}
}
