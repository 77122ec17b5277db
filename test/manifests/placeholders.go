package manifests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// placeholderPattern is what stands in examples for something of one's own: names (RFC 2606) and
// networks (RFC 5737) that belong to nobody, and words in capitals.
var placeholderPattern = regexp.MustCompile(`\bexample\.(com|net|org)\b|\b192\.0\.2\.|\b198\.51\.100\.|\b203\.0\.113\.|REPLACE|:PASSWORD@|"clients": ?\[\]`)

// Placeholders tells which values of rendered objects, and of the external ones that they name, are still
// those of an example, a sentence each; none if all were replaced.
func Placeholders(objects, external Objects) []string {
	var findings []string
	var secrets Objects
	named := map[string]bool{}
	for _, o := range objects {
		if _, secret := o.(*core.Secret); secret {
			secrets = append(secrets, o)
			named[name(o)] = true
			continue
		}
		for _, text := range textsOf(o) {
			named[text] = true
			if placeholderPattern.MatchString(text) {
				findings = append(findings, fmt.Sprintf("%s: %q is still that of the example", title(o), text))
			}
		}
	}
	// Values of Secrets, and of external objects, most of which are Secrets, are not shown.
	for _, o := range slices.Concat(secrets, external) {
		var values map[string]string
		switch o := o.(type) {
		case *core.Secret:
			values = contents(o)
		case *core.ConfigMap:
			values = o.Data
		}
		if !named[name(o)] {
			continue
		}
		for key, content := range values {
			if content == "" || placeholderPattern.MatchString(content) {
				findings = append(findings, fmt.Sprintf("%s: %s is still to be filled in", title(o), key))
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
}

// title is the kind and the name of an object.
func title(o runtime.Object) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1.") + " " + name(o)
}

func name(o runtime.Object) string {
	a, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return a.GetName()
}

// textsOf gives all values of an object that are strings.
func textsOf(o runtime.Object) []string {
	var fields any
	raw, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		panic(err) // what was decoded from JSON becomes JSON again
	}
	return texts(fields)
}

// texts gives all values that are strings, and no names of fields.
func texts(field any) []string {
	var all []string
	switch f := field.(type) {
	case string:
		all = append(all, f)
	case []any:
		for _, one := range f {
			all = append(all, texts(one)...)
		}
	case map[string]any:
		for _, one := range f {
			all = append(all, texts(one)...)
		}
	}
	return all
}
