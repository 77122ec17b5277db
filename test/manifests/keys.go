package manifests

import (
	"fmt"
	"slices"
	"strings"
)

// sharedFiles are the settings that name files with keys that all services with them must share.
var sharedFiles = []string{"HUB_INTERNAL_KEY_FILE", "HUB_SECRETS_FILE"}

// process is a service with its settings, wherever it is deployed.
type process struct {
	// name is that of the deployment.
	name string
	// known tells whether the service has a setting.
	known func(setting string) bool
	// setting gives the value of a setting; "" is none.
	setting func(name string) string
	// origin tells where the file of a setting comes from; "" if there is none.
	origin func(setting string) string
}

// keyFaults tells which processes cannot read what others write: keys that differ, and where users come, hubs
// that know no edge.
func keyFaults(all []process) []string {
	slices.SortFunc(all, func(a, b process) int { return strings.Compare(a.name, b.name) })
	var faults []string
	users := false
	origins := map[string]process{} // of each setting, the first
	for _, p := range all {
		users = users || p.setting("HUB_USER_ISSUER_URL") != "" || p.setting("HUB_SECRETS_FILE") != ""
		for _, file := range sharedFiles {
			if p.setting(file) == "" {
				continue
			}
			first, ok := origins[file]
			if !ok {
				origins[file] = p
			} else if a, b := p.origin(file), first.origin(file); a != b && a != "" && b != "" {
				faults = append(faults, fmt.Sprintf("%s: %s comes from %s, and that of %s from %s", p.name, file, a, first.name, b))
			}
		}
	}
	for _, p := range all {
		if users && p.known("HUB_INTERNAL_CLIENT_NAMES") && p.setting("HUB_INTERNAL_KEY_FILE") == "" && p.setting("HUB_INTERNAL_CLIENT_NAMES") == "" {
			faults = append(faults, p.name+": users cannot call it, since it knows no edge by HUB_INTERNAL_KEY_FILE or HUB_INTERNAL_CLIENT_NAMES")
		}
	}
	return faults
}

// checkKeys wants the services to have the same keys.
func (c *checker) checkKeys() {
	var all []process
	for _, w := range c.workloads {
		if !c.ours(w) {
			continue
		}
		all = append(all, process{
			name:    w.name,
			known:   func(name string) bool { _, ok := c.settings(w)[name]; return ok },
			setting: func(name string) string { return c.setting(w, name) },
			origin: func(name string) string {
				return c.origin(w, w.pod.Spec.Containers[0], c.setting(w, name))
			},
		})
	}
	c.findings = append(c.findings, keyFaults(all)...)
}
