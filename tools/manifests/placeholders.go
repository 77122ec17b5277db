package manifests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// placeholderPattern is what stands in examples for something of one's own: names (RFC 2606) and
// networks (RFC 5737) that belong to nobody, and words in capitals.
var placeholderPattern = regexp.MustCompile(`\bexample\.(com|net|org)\b|\b192\.0\.2\.|\b198\.51\.100\.|\b203\.0\.113\.|REPLACE|:PASSWORD@`)

// Placeholders tells which values of rendered and external objects are still those of an example, a
// sentence each; none if all were replaced.
func Placeholders(objects Objects, external Objects) []string {
	var findings []string
	for _, o := range slices.Concat(objects, external) {
		a, err := meta.Accessor(o)
		if err != nil {
			continue
		}
		name := strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1.") + " " + a.GetName()
		raw, err := json.Marshal(o)
		var fields any
		if err == nil {
			err = json.Unmarshal(raw, &fields)
		}
		if err != nil {
			findings = append(findings, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if s, ok := o.(*core.Secret); ok {
			// Nothing of a Secret is shown.
			for key, content := range contents(s) {
				if content == "" || placeholderPattern.MatchString(content) {
					findings = append(findings, fmt.Sprintf("%s: %s is still to be filled in", name, key))
				}
			}
			continue
		}
		if m, ok := o.(*core.ConfigMap); ok && slices.Contains(external, o) {
			for key, content := range m.Data {
				if content == "" {
					findings = append(findings, fmt.Sprintf("%s: %s is still to be filled in", name, key))
				}
			}
		}
		for _, text := range texts(fields) {
			if placeholderPattern.MatchString(text) {
				findings = append(findings, fmt.Sprintf("%s: %q is still that of the example", name, text))
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
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
