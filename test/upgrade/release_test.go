package upgrade

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/hub/test/shape"
	"example.com/hub/test/source"
)

//go:embed PREVIOUS
var previousCommit string

// release is what was built of one state of the repository.
type release struct {
	// bin is the folder of the binaries.
	bin string
	// suite is the contract suite as a test binary.
	suite string
}

// built is what the tests share.
var built struct {
	folder string
	// today has a migration more than the repository, so that one always lies between the releases.
	today release
	// previous builds the release before, once.
	previous func() (release, error)
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built.folder, err = os.MkdirTemp("", "hub-upgrade-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(built.folder) }()
		overlay, err := laterMigrations(built.folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if built.today, err = build(source.Root, filepath.Join(built.folder, "today"), "-overlay", overlay); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		built.previous = sync.OnceValues(buildPrevious)
		return m.Run()
	}())
}

// build makes the binaries and the contract suite of a source tree. Without the paths of the tree in
// them, a later run finds them in the build cache.
func build(tree, to string, flags ...string) (release, error) {
	r := release{bin: to, suite: filepath.Join(to, "contract.test")}
	flags = append([]string{"-trimpath", "-buildvcs=false"}, flags...)
	// A hub that is newer than the tree is no part of it.
	names := slices.DeleteFunc(shape.Services(), func(name string) bool {
		_, err := os.Stat(filepath.Join(tree, "services", name))
		return err != nil
	})
	if err := source.Build(context.Background(), tree, to, append(names, "hub"), flags...); err != nil {
		return r, err
	}
	return r, source.Go(context.Background(), tree, "test", "-c", "-trimpath", "-o", r.suite, "./contract")
}

// has tells whether the release has a service.
func (r release) has(service string) bool {
	_, err := os.Stat(filepath.Join(r.bin, service))
	return err == nil
}

// replicas gives shape.Config.Bins for the replicas of these numbers of all services that the release has.
func (r release) replicas(numbers ...int) map[string]string {
	bins := map[string]string{}
	for _, service := range shape.Services() {
		for _, n := range numbers {
			if r.has(service) {
				bins[fmt.Sprintf("%s-%d", service, n)] = r.bin
			}
		}
	}
	return bins
}

// previous gives the release before.
func previous(t *testing.T) release {
	t.Helper()
	commit := strings.TrimSpace(previousCommit)
	if err := git(io.Discard, "cat-file", "-e", commit+"^{commit}"); err != nil {
		var shallow bytes.Buffer
		if fault := git(&shallow, "rev-parse", "--is-shallow-repository"); fault == nil && strings.TrimSpace(shallow.String()) == "true" {
			t.Fatalf("this clone is shallow and lacks the commit %s of test/upgrade/PREVIOUS: get it with git fetch --unshallow", commit)
		}
		t.Fatalf("the commit %s of test/upgrade/PREVIOUS: %v", commit, err)
	}
	r, err := built.previous()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func buildPrevious() (release, error) {
	tree := filepath.Join(built.folder, "source")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return release{}, err
	}
	archive := filepath.Join(built.folder, "source.tar")
	if err := git(io.Discard, "archive", "-o", archive, strings.TrimSpace(previousCommit)); err != nil {
		return release{}, err
	}
	if text, err := exec.Command("tar", "-xf", archive, "-C", tree).CombinedOutput(); err != nil {
		return release{}, fmt.Errorf("unpack the previous release: %w\n%s", err, text)
	}
	return build(tree, filepath.Join(built.folder, "previous"))
}

// git runs a command in the repository. An archive of a folder would hold that folder only, so it runs
// at the root.
func git(out io.Writer, args ...string) error {
	cmd := exec.Command("git", args...)
	var faults bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = source.Root, out, &faults
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, faults.String())
	}
	return nil
}
