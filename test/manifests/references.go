package manifests

import (
	"path"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
)

// variable is an environment variable of a container.
type variable struct{ name, value string }

// environ gives the environment of a container, in the order in which later ones win.
func (c *checker) environ(w workload, k core.Container) []variable {
	var all []variable
	for _, from := range k.EnvFrom {
		var data map[string]string
		switch {
		case from.ConfigMapRef != nil:
			data = c.data("ConfigMap", from.ConfigMapRef.Name)
		case from.SecretRef != nil:
			data = c.data("Secret", from.SecretRef.Name)
		}
		if data == nil {
			c.findf("%s: container %s takes its environment from something unknown", w.name, k.Name)
		}
		for name, value := range data {
			all = append(all, variable{from.Prefix + name, value})
		}
	}
	slices.SortStableFunc(all, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(all); i++ {
		if all[i].name == all[i-1].name {
			c.findf("%s: %s stands in two ConfigMaps", w.name, all[i].name)
		}
	}
	for _, v := range k.Env {
		value := v.Value
		if from := v.ValueFrom; from != nil {
			switch {
			case from.SecretKeyRef != nil:
				value = c.value(w, "Secret", from.SecretKeyRef.Name, from.SecretKeyRef.Key)
			case from.ConfigMapKeyRef != nil:
				value = c.value(w, "ConfigMap", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key)
			}
		}
		all = append(all, variable{v.Name, value})
	}
	return all
}

// data gives the content of a ConfigMap or Secret, rendered or external; nil if there is none.
func (c *checker) data(kind, name string) map[string]string {
	for _, o := range slices.Concat(c.objects, c.External) {
		found := map[string]string{}
		switch o := o.(type) {
		case *core.ConfigMap:
			if kind != "ConfigMap" || o.Name != name {
				continue
			}
			for k, v := range o.Data {
				found[k] = v
			}
		case *core.Secret:
			if kind != "Secret" || o.Name != name {
				continue
			}
			found = contents(o)
		default:
			continue
		}
		return found
	}
	return nil
}

// contents gives the values of a Secret, in whichever form they are.
func contents(s *core.Secret) map[string]string {
	all := map[string]string{}
	for k, v := range s.Data {
		all[k] = string(v)
	}
	for k, v := range s.StringData {
		all[k] = v
	}
	return all
}

func (c *checker) value(w workload, kind, name, key string) string {
	v, ok := c.data(kind, name)[key]
	if !ok {
		c.findf("%s: there is no key %s in a %s %s", w.name, key, kind, name)
	}
	return v
}

// checkReferences wants every volume to have its source, and every mount its volume.
func (c *checker) checkReferences(w workload) {
	volumes := map[string]bool{}
	for _, v := range w.pod.Spec.Volumes {
		volumes[v.Name] = true
		c.files(w, v)
	}
	for _, v := range c.claims(w) {
		volumes[v] = true
	}
	for _, k := range containers(w.pod.Spec) {
		for _, m := range k.VolumeMounts {
			if !volumes[m.Name] {
				c.findf("%s: container %s mounts the unknown volume %s", w.name, k.Name, m.Name)
			}
		}
	}
}

// files gives the names of the files in a volume that is made of ConfigMaps and Secrets, and the origin of
// each: the kind and the name of the object, and the key.
func (c *checker) files(w workload, v core.Volume) map[string]string {
	type source struct {
		kind, name string
		items      []core.KeyToPath
	}
	var sources []source
	switch {
	case v.ConfigMap != nil:
		sources = append(sources, source{"ConfigMap", v.ConfigMap.Name, v.ConfigMap.Items})
	case v.Secret != nil && v.Secret.Optional != nil && *v.Secret.Optional && c.data("Secret", v.Secret.SecretName) == nil:
		return nil
	case v.Secret != nil:
		sources = append(sources, source{"Secret", v.Secret.SecretName, v.Secret.Items})
	case v.Projected != nil:
		for _, p := range v.Projected.Sources {
			switch {
			case p.ConfigMap != nil:
				sources = append(sources, source{"ConfigMap", p.ConfigMap.Name, p.ConfigMap.Items})
			case p.Secret != nil:
				sources = append(sources, source{"Secret", p.Secret.Name, p.Secret.Items})
			}
		}
	}
	origins := map[string]string{}
	for _, s := range sources {
		data := c.data(s.kind, s.name)
		if data == nil {
			c.findf("%s: there is no %s %s", w.name, s.kind, s.name)
		}
		for _, item := range s.items {
			c.value(w, s.kind, s.name, item.Key)
			origins[item.Path] = s.kind + " " + s.name + " " + item.Key
		}
		if len(s.items) == 0 {
			for key := range data {
				origins[key] = s.kind + " " + s.name + " " + key
			}
		}
	}
	return origins
}

// origin tells where the file comes from that a container finds at a path; "" if there is none.
func (c *checker) origin(w workload, k core.Container, file string) string {
	for _, m := range k.VolumeMounts {
		for _, v := range w.pod.Spec.Volumes {
			if v.Name != m.Name || path.Dir(file) != m.MountPath {
				continue
			}
			if origin := c.files(w, v)[path.Base(file)]; origin != "" {
				return origin
			}
		}
	}
	return ""
}
