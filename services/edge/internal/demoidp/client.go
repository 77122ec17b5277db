package demoidp

import (
	"encoding/json"
	"net/http"
)

// PathClient tells pages of the demo's client, so that they can do what a business system does.
const PathClient = "/demo/client"

// clientID and clientSecret are those of a demo client; everybody knows them.
const clientID, clientSecret = "erp", "erp-secret"

// ServeClient answers PathClient, in the envelope of Hub.
func (p *Provider) ServeClient(w http.ResponseWriter, _ *http.Request) {
	var names []string
	for _, u := range users {
		names = append(names, u.username)
	}
	body, err := json.Marshal(map[string]any{"code": "0", "msg": "ok", "data": map[string]any{
		"clientId": clientID, "clientSecret": clientSecret, "users": names,
	}})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	writeJSON(w, http.StatusOK, body)
}
