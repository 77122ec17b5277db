package issuer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/clients"
)

// ClientsForm shows what a clients file looks like.
const ClientsForm = `  {"clients": [
    {"id": "portal", "secret_sha256": "64 hex digits, the SHA-256 sum of the secret", "scopes": ["client"]},
    {"id": "erp", "secret_sha256": ["sum of the old secret", "sum of the new one"], "scopes": ["client"]}
  ]}`

// parseClients reads a clients file. The error tells every fault, by entry.
func parseClients(content []byte) (registry, error) {
	var file map[string]json.RawMessage
	var entries []json.RawMessage
	if err := json.Unmarshal(content, &file); err != nil {
		if broken := new(json.SyntaxError); errors.As(err, &broken) {
			return nil, fmt.Errorf("not JSON in line %d", 1+bytes.Count(content[:broken.Offset], []byte("\n")))
		}
		return nil, errors.New(`must be an object, {"clients": [...]}`)
	}
	for name, value := range file {
		if name != "clients" {
			return nil, fmt.Errorf("there is no field %q beside clients", name)
		}
		if json.Unmarshal(value, &entries) != nil {
			return nil, errors.New("clients must be an array")
		}
	}
	list := checklist{good: registry{}}
	for _, raw := range entries {
		list.add(parseClient(raw))
	}
	return list.result()
}

// besideUsers is parse that takes no client with the name of a user.
func besideUsers(parse func([]byte) (registry, error)) func([]byte) (registry, error) {
	return func(content []byte) (registry, error) {
		cs, err := parse(content)
		for _, id := range slices.Sorted(maps.Keys(cs)) {
			if auth.Reserved(id) {
				return nil, fmt.Errorf("the id of the client %q must not begin like the name of a user", id)
			}
		}
		return cs, err
	}
}

// parseClient reads an entry, as far as it can.
func parseClient(raw json.RawMessage) (c clients.Client, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return c, errors.New("must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, must := fields[name], ""
		switch name {
		case "id":
			if json.Unmarshal(value, &c.ID) != nil {
				must = "a string"
			}
		case "scopes":
			if json.Unmarshal(value, &c.Scopes) != nil {
				must = "an array of strings"
			}
		case "secret_sha256":
			var one string
			if json.Unmarshal(value, &one) == nil {
				c.SecretSHA256 = []string{one}
			} else if json.Unmarshal(value, &c.SecretSHA256) != nil {
				must = "a string or an array of strings"
			}
		default:
			return c, fmt.Errorf("there is no field %q beside id, secret_sha256 and scopes", name)
		}
		if must != "" {
			return c, fmt.Errorf("%s must be %s", name, must)
		}
	}
	return c, nil
}

// checkClients tells every fault, by entry.
func checkClients(of []clients.Client) (registry, error) {
	list := checklist{good: registry{}}
	for _, c := range of {
		list.add(c, nil)
	}
	return list.result()
}

// checklist gathers the clients of a list and what is wrong with the others.
type checklist struct {
	good    registry
	entries int
	faults  []string
}

// add takes an entry, which err says could not be read.
func (l *checklist) add(c clients.Client, err error) {
	l.entries++
	var checked client
	if err == nil {
		checked, err = checkClient(c)
	}
	if _, taken := l.good[c.ID]; taken && err == nil {
		err = errors.New("the id is there twice")
	}
	switch {
	case err == nil:
		l.good[c.ID] = checked
	case c.ID == "":
		l.faults = append(l.faults, fmt.Sprintf("entry %d: %v", l.entries, err))
	default:
		l.faults = append(l.faults, fmt.Sprintf("entry %d (%q): %v", l.entries, c.ID, err))
	}
}

func (l *checklist) result() (registry, error) {
	if l.faults != nil {
		return nil, errors.New(strings.Join(l.faults, "; "))
	}
	return l.good, nil
}
