package grpcserver

import (
	"maps"

	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/ratelimit"
)

// Service is what a hub adds to a server: its methods, and the rules on their calls.
type Service interface {
	// Register adds the gRPC services of the hub.
	Register(r grpc.ServiceRegistrar)
	// Policy says who may call each method.
	Policy() auth.Policy
	// Charges say what the methods take of their client's limits.
	Charges() ratelimit.Charges
	// Entries bound the lists in requests.
	Entries() Entries
}

// Admit adds the rules of services, which are to be registered on the server.
func (o *Options) Admit(services ...Service) {
	o.Policy, o.Charges, o.Entries = auth.Policy{}, ratelimit.Charges{}, Entries{}
	for _, s := range services {
		maps.Copy(o.Policy, s.Policy())
		maps.Copy(o.Charges, s.Charges())
		maps.Copy(o.Entries, s.Entries())
	}
}
