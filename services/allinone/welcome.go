package allinone

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"example.com/hub/pkg/version"
)

// WriteWelcome prints what runs where, and three commands to paste that work as they are.
func (h *Hub) WriteWelcome(w io.Writer) error {
	data, err := filepath.Abs(h.cfg.DataDir)
	if err != nil {
		return err
	}
	base := h.URL()
	_, err = fmt.Fprintf(w, `
Hub %s is ready. Ctrl-C ends it.

%s  REST and streams  %s
  its reference     %s/docs
  gRPC              %s%s
  data              %s
  clients           %s
`, version.String(), h.portal(), base, base, h.GRPCAddr(), reflection(h.cfg.Reflection), data, h.clients())
	if err == nil && h.admin != nil {
		_, err = fmt.Fprintf(w, "  health, metrics   %s/readyz, %s/metrics\n", h.AdminURL(), h.AdminURL())
	}
	if err != nil || !h.cfg.demo() {
		return err
	}
	_, err = fmt.Fprintf(w, `
Paste into another terminal: a token, the events of alice, and a message to her.

  TOKEN=$(curl -s%[2]s %[1]s/api/login/oauth/token -d grant_type=client_credentials -d client_id=erp -d client_secret=erp-secret -d scope=client | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

  curl -sN%[2]s -H "Authorization: Bearer $TOKEN" '%[1]s/message-hub/stream?user=alice' &

  curl -s%[2]s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' %[1]s/message-hub/messages -d '{"sourceMessageId":"'$RANDOM'","targetUsernames":["alice"],"title":"Hello","content":"From Hub."}'

`, base, h.trust())
	return err
}

// trust lets curl take the certificate as it is, whoever signed it.
func (h *Hub) trust() string {
	if h.tls == nil {
		return ""
	}
	path, err := filepath.Abs(h.cfg.TLS.CertFile)
	if err != nil {
		path = h.cfg.TLS.CertFile
	}
	return " --cacert '" + path + "'"
}

// portal is the line of the page that people open, or "" where nobody logs in.
func (h *Hub) portal() string {
	if !h.edge.HasPortal() {
		return ""
	}
	public := cmp.Or(h.cfg.Auth.PublicURL, h.URL())
	who := ""
	if h.cfg.Edge.Users.IssuerURL == "" {
		who = " (amy, ben or carla)"
	}
	return fmt.Sprintf("  portal            %s/portal/%s\n", public, who)
}

func reflection(on bool) string {
	if on {
		return " (reflection is on)"
	}
	return ""
}

func (h *Hub) clients() string {
	switch {
	case h.cfg.demo():
		return "erp/erp-secret, portal/portal-secret, hr/hr-secret (feeds the directory), limited/limited-secret (lacks the scope)"
	case h.cfg.Auth.IssuerURL != "":
		return "those of " + h.cfg.Auth.IssuerURL
	}
	return h.cfg.Edge.Issuer.ClientsFile
}
