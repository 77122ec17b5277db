// Command overlay checks an overlay before it is applied: what test/manifests finds in it, and values
// that are still those of the example.
//
//	overlay ROOT DIR [FILE...]
//
// ROOT is the repository of Hub, DIR has the kustomization, and each FILE has objects that exist beside
// it, such as what kubectl get secrets,configmaps -o yaml prints. It ends with 1 when there is anything
// to do.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/hub/test/manifests"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: overlay ROOT DIR [FILE...]")
		os.Exit(2)
	}
	findings, err := check(context.Background(), os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func check(ctx context.Context, root, dir string, files []string) ([]string, error) {
	bin, err := os.MkdirTemp("", "hub-overlay-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	binaries, err := manifests.Build(ctx, root, bin)
	if err != nil {
		return nil, err
	}
	rendered, err := manifests.Render(dir)
	if err != nil {
		return nil, err
	}
	objects, err := manifests.Decode(rendered)
	if err != nil {
		return nil, err
	}
	s := manifests.Surroundings{Binaries: binaries}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		some, err := manifests.Decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s.External = append(s.External, some...)
	}
	for _, b := range manifests.Budgets(objects, s) {
		fmt.Fprintf(os.Stderr, "%s may take %d connections to PostgreSQL: %d pods with %d each\n", b.Hub, b.Connections(), b.Pods, b.Each)
	}
	return append(manifests.Check(objects, s), manifests.Placeholders(objects, s.External)...), nil
}
