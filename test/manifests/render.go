// Package manifests checks Hub's deployment files as far as that goes without a cluster: that every
// object is of its type, that what they say of each other is true, and that the services would start
// with the settings that they give.
package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Objects are Kubernetes objects of any kinds.
type Objects []runtime.Object

// Render builds the kustomization in a folder into YAML.
func Render(dir string) ([]byte, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	return resources.AsYaml()
}

// Decode reads YAML documents, one object or one List of objects each. A field that the object's type does not have, or has
// twice, is an error. The error joins those of all documents.
func Decode(documents []byte) (Objects, error) {
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), gateway.Install(types), monitoring.AddToScheme(types)); err != nil {
		return nil, err
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, types, types,
		json.SerializerOptions{Yaml: true, Strict: true})

	var all Objects
	var faults []error
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(documents)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, errors.Join(faults...)
		}
		if err != nil {
			return nil, fmt.Errorf("split the documents: %w", err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			faults = append(faults, fmt.Errorf("decode %.80q...: %w", document, err))
			continue
		}
		list, ok := object.(*core.List)
		if !ok {
			all = append(all, object)
			continue
		}
		// What kubectl get prints of several objects.
		for _, item := range list.Items {
			object, _, err := decoder.Decode(item.Raw, nil, nil)
			if err != nil {
				faults = append(faults, fmt.Errorf("decode an item of a list: %w", err))
				continue
			}
			all = append(all, object)
		}
	}
}

// of gives the objects of one type.
func of[T runtime.Object](all Objects) []T {
	var some []T
	for _, o := range all {
		if t, ok := o.(T); ok {
			some = append(some, t)
		}
	}
	return some
}
