package manifests

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// composePorts are the ports of the images of a compose file that are no hubs.
var composePorts = map[string]int32{"edge": 8080, "postgres": 5432, "redis": 6379}

// hubPort is that of a hub.
const hubPort = 9090

// CheckCompose loads a compose file as Docker does, which wants it to follow the schema and to be
// consistent, and tells what else is wrong with it, a sentence each.
func CheckCompose(ctx context.Context, file string, b *Binaries) ([]string, error) {
	options, err := cli.NewProjectOptions([]string{file})
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", file, err)
	}
	project, err := options.LoadProject(ctx)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", file, err)
	}
	c := &composeChecker{services: project.Services, binaries: b}
	for _, s := range project.Services {
		c.checkFiles(s)
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				c.findf("%s: port %s is published on %q", s.Name, p.Published, p.HostIP)
			}
		}
		if b.Has(path.Base(s.Image)) {
			c.checkService(s)
		}
	}
	c.checkKeys()
	slices.Sort(c.findings)
	return c.findings, nil
}

type composeChecker struct {
	services types.Services
	binaries *Binaries
	findings []string
}

func (c *composeChecker) findf(format string, args ...any) {
	c.findings = append(c.findings, fmt.Sprintf(format, args...))
}

// checkFiles wants the files of the host that a service is made of.
func (c *composeChecker) checkFiles(s types.ServiceConfig) {
	need := func(file string) {
		if _, err := os.Stat(file); err != nil {
			c.findf("%s: %v", s.Name, err)
		}
	}
	if s.Build != nil {
		need(path.Join(s.Build.Context, s.Build.Dockerfile))
		service := s.Build.Args["SERVICE"]
		if service == nil || !c.binaries.Has(*service) {
			c.findf("%s: is built with an unknown SERVICE", s.Name)
		} else if s.Build.Target == "" && *service != path.Base(s.Image) {
			c.findf("%s: the image %s is built of %s", s.Name, s.Image, *service)
		}
	}
	for _, v := range s.Volumes {
		if v.Type == types.VolumeTypeBind {
			need(v.Source)
		}
	}
}

// checkService wants settings that the binary has and takes, files where they say, and something at
// each address.
func (c *composeChecker) checkService(s types.ServiceConfig) {
	binary, command := path.Base(s.Image), "serve"
	if len(s.Command) > 0 {
		command = s.Command[0]
	}
	environ := map[string]string{}
	for name, value := range s.Environment {
		if value == nil {
			c.findf("%s: %s has no value", s.Name, name)
			continue
		}
		environ[name] = *value
		// The services that migrate share the environment of those that serve.
		_, own := c.binaries.Settings(binary, command)[name]
		if _, serving := c.binaries.Settings(binary, "serve")[name]; !own && !serving {
			c.findf("%s: %s is no setting of %s", s.Name, name, binary)
		}
		if strings.HasSuffix(name, "_FILE") && *value != "" && origin(s, *value) == "" {
			c.findf("%s: %s names %s, which is not mounted", s.Name, name, *value)
		}
		if name == "HUB_PUBLIC_URL" {
			continue
		}
		for _, e := range endpoints(*value) {
			if !c.answers(e) {
				c.findf("%s: nothing answers at %s:%d of %s", s.Name, e.host, e.port, name)
			}
		}
	}
	for _, fault := range c.binaries.Faults(binary, command, environ) {
		c.findf("%s: %s", s.Name, fault)
	}
}

// origin tells where the file comes from that a service finds at a path; "" if there is none.
func origin(s types.ServiceConfig, file string) string {
	for _, v := range s.Volumes {
		switch {
		case v.Target == file:
			return v.Source
		case v.Type == types.VolumeTypeVolume && v.Target == path.Dir(file):
			return v.Source + "/" + path.Base(file)
		}
	}
	return ""
}

// checkKeys wants the services to have the same keys.
func (c *composeChecker) checkKeys() {
	var all []process
	for _, s := range c.services {
		binary := path.Base(s.Image)
		if !c.binaries.Has(binary) || len(s.Command) > 0 {
			continue
		}
		setting := func(name string) string {
			if value := s.Environment[name]; value != nil {
				return *value
			}
			return ""
		}
		all = append(all, process{
			name:    s.Name,
			known:   func(name string) bool { _, ok := c.binaries.Settings(binary, "serve")[name]; return ok },
			setting: setting,
			origin:  func(name string) string { return origin(s, setting(name)) },
		})
	}
	c.findings = append(c.findings, keyFaults(all)...)
}

// answers tells whether a service has the name, or the alias, and the port.
func (c *composeChecker) answers(e endpoint) bool {
	for _, s := range c.services {
		names := []string{s.Name}
		for _, n := range s.Networks {
			if n != nil {
				names = append(names, n.Aliases...)
			}
		}
		image, _, _ := strings.Cut(path.Base(s.Image), ":")
		port := composePorts[image]
		if port == 0 && c.binaries.Has(image) {
			port = hubPort
		}
		if slices.Contains(names, e.host) && port == e.port {
			return true
		}
	}
	return false
}
