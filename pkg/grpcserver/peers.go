package grpcserver

import (
	"context"
	"crypto/x509"
	"slices"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"example.com/hub/pkg/fault"
)

// Peers say who may make the calls between Hub's own services, those of methods whose scope is
// auth.ScopeInternal.
type Peers struct {
	// Names are DNS names and URIs. The connection's client certificate must be verified and have one of
	// them. They are compared as a whole; a wildcard of the certificate is none of them.
	Names []string
	// Token says that the call must have a token with the scope besides. Without it none is looked at.
	Token bool
}

// admit refuses a call unless its connection has a certificate with one of the names.
func (p *Peers) admit(ctx context.Context) error {
	certificate := verifiedCertificate(ctx)
	if certificate == nil {
		return fault.New(fault.Unauthenticated, "a client certificate is needed")
	}
	names := slices.Clone(certificate.DNSNames)
	for _, uri := range certificate.URIs {
		names = append(names, uri.String())
	}
	for _, name := range names {
		if slices.ContainsFunc(p.Names, func(allowed string) bool { return sameName(allowed, name) }) {
			return nil
		}
	}
	return fault.Newf(fault.Forbidden, "the client certificate of %q may not make this call", strings.Join(names, ", "))
}

// sameName compares URIs byte by byte, as SPIFFE ids are, and DNS names in any case.
func sameName(a, b string) bool {
	if strings.Contains(a, "://") {
		return a == b
	}
	return strings.EqualFold(a, b)
}

// verifiedCertificate gives the certificate that the caller has proved to be its own, or nil.
func verifiedCertificate(ctx context.Context) *x509.Certificate {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.VerifiedChains) == 0 || len(info.State.VerifiedChains[0]) == 0 {
		return nil
	}
	return info.State.VerifiedChains[0][0]
}
