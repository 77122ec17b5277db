package grpcserver

import (
	"context"
	"crypto/x509"
	"slices"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/fault"
)

// Edges say by what Hub's own services are known: the key, the name in their certificate, or both together.
// They may call what is only for them, and speak for users. The zero Edges know none.
type Edges struct {
	// Names are DNS names and URIs. The connection's client certificate must be verified and have one of
	// them. They are compared as a whole; a wildcard of the certificate is none of them. Without names
	// certificates do not matter.
	Names []string
	// Key is what the call must have as its bearer token. When it is nil, the certificate is enough.
	Key *internalkey.Key
}

// certified refuses a call where names matter, unless its connection has a certificate with one of them.
func (e Edges) certified(ctx context.Context) error {
	if len(e.Names) == 0 {
		return nil
	}
	certificate := verifiedCertificate(ctx)
	if certificate == nil {
		return fault.New(fault.Unauthenticated, "a client certificate is needed")
	}
	names := slices.Clone(certificate.DNSNames)
	for _, uri := range certificate.URIs {
		names = append(names, uri.String())
	}
	for _, name := range names {
		if slices.ContainsFunc(e.Names, func(allowed string) bool { return sameName(allowed, name) }) {
			return nil
		}
	}
	return fault.Newf(fault.Forbidden, "the client certificate of %q may not make this call", strings.Join(names, ", "))
}

// known tells whether there is anything that they can be known by.
func (e Edges) known() bool { return e.Key != nil || len(e.Names) > 0 }

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
