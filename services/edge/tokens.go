package edge

import (
	"context"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
)

// OpenTokens sets Verifier and who answers the token path: Hub's own issuer, which own is for, or what
// stands in for an outside one. Config must be set before. The address is the one that REST listens on.
func (d *Deps) OpenTokens(p *process.Process, s token.Settings, own IssuerDeps, addr string) error {
	d.Users = d.Users || d.Config.Browser.Secrets.File != "" || d.Config.Users.IssuerURL != ""
	own.Users, s.Users, d.publicURL = d.Users, d.Users, s.PublicURL
	if s.IssuerURL != "" {
		return d.openProvider(p, s)
	}
	d.Config.Issuer.PublicURL, d.Config.Issuer.Audience = s.PublicURL, s.Audience
	issuer, err := OpenIssuer(d.Config, own)
	if err != nil {
		return err
	}
	d.signing = issuer.Keys
	d.Issuer, d.Hosts = issuer, DemoHosts(issuer, addr)
	d.verify(p, s.Verifier(keys.Local(issuer.Keys)))
	return nil
}

func (d *Deps) openProvider(p *process.Process, s token.Settings) error {
	forwarder, err := NewForwarder(d.Config, ForwarderDeps{Issuer: s.IssuerURL, Logger: p.Logger})
	if err != nil {
		return err
	}
	d.Forwarder = forwarder
	verifier, keys := s.Open(p.Logger)
	d.verify(p, verifier)
	keys.Measure(p.Metrics)
	p.Check("signing keys", keys.Ready)
	p.Add(lifecycle.Part{Name: "signing keys", Stop: func(context.Context) error {
		forwarder.Close()
		keys.Close()
		return nil
	}})
	return nil
}

func (d *Deps) verify(p *process.Process, v *token.Verifier) {
	v.Measure(p.Metrics)
	d.Verifier, d.clients = v, v
	d.audiences = append(d.audiences, v.Audience())
}
