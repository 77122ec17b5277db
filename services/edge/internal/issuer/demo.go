package issuer

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// demoIDs are the clients that have a secret of DemoClients, sorted.
func (cs registry) demoIDs() []string {
	demo, err := checkClients(DemoClients())
	if err != nil {
		panic(err) // only for a mistake in DemoClients
	}
	var published [][sha256.Size]byte
	for _, c := range demo {
		published = append(published, c.sums...)
	}
	var ids []string
	for id, c := range cs {
		if slices.ContainsFunc(c.sums, func(sum [sha256.Size]byte) bool { return slices.Contains(published, sum) }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// parseOwnClients is parseClients that takes no secret of DemoClients.
func parseOwnClients(content []byte) (registry, error) {
	cs, err := parseClients(content)
	if err != nil {
		return nil, err
	}
	if ids := cs.demoIDs(); len(ids) > 0 {
		return nil, fmt.Errorf("the client %q has a secret of Hub's demo clients, which everybody knows, and others than this machine can reach Hub", ids[0])
	}
	return cs, nil
}

// Demo tells whether a client has a secret of DemoClients.
func (i *Issuer) Demo() bool {
	return len(i.extra.demoIDs()) > 0 || i.clients != nil && len(i.clients.Current().demoIDs()) > 0
}
