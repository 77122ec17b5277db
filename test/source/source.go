// Package source knows the source tree of Hub and builds binaries from it.
package source

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// Root is the folder of the repository for the tests of this module's packages, which run in folders
// right below test.
const Root = "../.."

// Build builds binaries of a source tree into the folder to, by their names, such as edge and hub. The
// flags are further ones of go build.
func Build(ctx context.Context, tree, to string, names []string, flags ...string) error {
	args := slices.Concat([]string{"build", "-o", to + "/"}, flags)
	for _, name := range names {
		switch name {
		case "hub":
			args = append(args, "./services/allinone/cmd/hub")
		case "hubctl":
			args = append(args, "./clients/hubctl")
		default:
			args = append(args, "./services/"+name+"/cmd/"+name)
		}
	}
	return Go(ctx, tree, args...)
}

// Go runs the go command in a source tree, with the workspace of that tree.
func Go(ctx context.Context, tree string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOWORK=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", args[0], tree, err, out)
	}
	return nil
}
