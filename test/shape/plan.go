package shape

import (
	"fmt"
	"slices"
	"strings"
)

// plan is a replica before it runs.
type plan struct {
	name, binary string
	args         []string
	address      Address
	environ      []string
}

// plans has the edges first: hubs are ready only when they have the edges' signing keys.
func (s *Shape) plans() []plan {
	// The issuer of tokens, which every replica must know by the same name.
	shared := append([]string{
		"HUB_PUBLIC_URL=" + s.scheme() + s.cfg.Edges[0].Public,
		"HUB_REDIS_URL=" + s.Redis.Address,
	}, s.trust()...)
	edge := append([]string{
		"HUB_CLIENTS_FILE=" + s.file("clients.json"),
		"HUB_SIGNING_KEYS_FILE=" + s.file("signing-keys.pem"),
		"HUB_SECRETS_FILE=" + s.file("secrets"),
		"HUB_TICKET_KEYS_FILE=" + s.file("ticket-keys.pem"),
	}, slices.Concat(shared, s.edgeTLS())...)
	for _, hub := range Hubs() {
		edge = append(edge, Target(hub, s.cfg.Hubs[hub]))
	}
	hub := func(name string) []string {
		own := []string{"HUB_DATABASE_URL=" + s.Database(name)}
		if name == "portalhub" {
			// A folder does for replicas of one machine.
			own = append(own, "HUB_FILES_URL=file:"+s.file("files"))
		}
		return append(own, slices.Concat(shared, s.hubTLS())...)
	}
	var all []plan
	add := func(binary, public string, addresses []Address, environ []string) {
		for i, a := range addresses {
			all = append(all, plan{
				name: fmt.Sprintf("%s-%d", binary, i+1), binary: binary, args: []string{"serve"}, address: a,
				environ: append([]string{public + "=" + a.Public, "HUB_ADMIN_ADDR=" + a.Admin}, environ...),
			})
		}
	}
	add("edge", "HUB_HTTP_ADDR", s.cfg.Edges, edge)
	for i := 1; i < len(all); i++ {
		all[i].environ = append(all[i].environ, s.demoUsers()...)
	}
	for _, name := range Hubs() {
		add(name, "HUB_GRPC_ADDR", s.cfg.Hubs[name], hub(name))
	}
	return all
}

// demoUsers are the settings by which the first edge is the provider of users for another one. The demo
// provider has its key and its codes in the memory of one edge, so only the first is one itself.
func (s *Shape) demoUsers() []string {
	return []string{
		"HUB_USER_ISSUER_URL=" + s.scheme() + s.cfg.Edges[0].Public + "/demo/oidc",
		"HUB_USER_AUDIENCE=hub-users",
		"HUB_LOGIN_CLIENT_ID=hub-portal",
	}
}

// Target is the setting by which an edge calls these replicas of a hub.
func Target(hub string, replicas []Address) string {
	all := make([]string, len(replicas))
	for i, r := range replicas {
		all[i] = r.Public
	}
	return "HUB_" + strings.ToUpper(hub) + "_TARGET=" + strings.Join(all, ",")
}
