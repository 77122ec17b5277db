package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/file"
)

var fileCases = []testCase{
	{"File/add keeps every value byte by byte", testFileValues},
	{"File/get misses what is not there", testFileUnknown},
	{"File/drop removes one, once", testFileDrop},
	{"File/unnamed are the hashes that no file has", testFileUnnamed},
	{"File/a blob is removed unless a file names it", testFileRemove},
	{"File/a blob that cannot be removed is no change", testFileRemoveFails},
	{"File/add waits for who removes the blob", testFileAddWaits},
}

func newFile(id, hash string) file.File {
	return file.File{
		ID: id, Hash: hash, Type: file.PDF, Size: 1 << 40, Name: "ä \U0001f600 \\ \"'.pdf", CreateTime: at(7), CreatorID: "user:carla",
	}
}

func addFile(t *testing.T, s portalhub.Store, id, hash string) {
	t.Helper()
	if err := s.AddFile(t.Context(), file.AddParams{File: newFile(id, hash)}); err != nil {
		t.Fatal(err)
	}
}

func testFileValues(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	addFile(t, s, "b", "h")
	for _, id := range []string{"a", "b"} {
		got, err := s.GetFile(t.Context(), file.GetParams{ID: id})
		if diff := cmp.Diff(newFile(id, "h"), got); diff != "" || err != nil {
			t.Errorf("%v, file (-want +got):\n%s", err, diff)
		}
	}
}

func testFileUnknown(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	for _, id := range []string{"", "A", "a ", "h", "%"} {
		if _, err := s.GetFile(t.Context(), file.GetParams{ID: id}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func testFileDrop(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	addFile(t, s, "b", "h")
	for range 2 {
		if err := s.DropFile(t.Context(), file.DropParams{ID: "a"}); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.GetFile(t.Context(), file.GetParams{ID: "a"}); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
	if _, err := s.GetFile(t.Context(), file.GetParams{ID: "b"}); err != nil {
		t.Error(err)
	}
}

func testFileUnnamed(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h1")
	addFile(t, s, "b", "h2")
	got, err := s.ListUnnamed(t.Context(), file.ListUnnamedParams{Hashes: []string{"h0", "h1", "H1", "h2", "h3"}})
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"H1", "h0", "h3"}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.ListUnnamed(t.Context(), file.ListUnnamedParams{}); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func testFileRemove(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	calls := 0
	remove := func(hash string) bool {
		t.Helper()
		removed, err := s.RemoveUnnamed(t.Context(), file.RemoveParams{Hash: hash, Remove: func(context.Context) error {
			calls++
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
		return removed
	}
	if remove("h") || calls > 0 {
		t.Error("the blob of a file is removed")
	}
	if !remove("other") || calls != 1 {
		t.Error("a blob of no file is not removed")
	}
	if err := s.DropFile(t.Context(), file.DropParams{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if !remove("h") || calls != 2 {
		t.Error("the blob of a file that was dropped is not removed")
	}
}

func testFileRemoveFails(t *testing.T, s portalhub.Store) {
	away := errors.New("away")
	removed, err := s.RemoveUnnamed(t.Context(), file.RemoveParams{Hash: "h", Remove: func(context.Context) error { return away }})
	if removed || !errors.Is(err, away) {
		t.Errorf("removed %v, %v", removed, err)
	}
	addFile(t, s, "a", "h")
}

// testFileAddWaits begins to add a file in the middle of a removal, and gives it every chance to come first.
func testFileAddWaits(t *testing.T, s portalhub.Store) {
	added := make(chan error, 1)
	var early bool
	_, err := s.RemoveUnnamed(t.Context(), file.RemoveParams{Hash: "h", Remove: func(ctx context.Context) error {
		begun := make(chan struct{})
		go func() {
			close(begun)
			added <- s.AddFile(t.Context(), file.AddParams{File: newFile("a", "h")})
		}()
		<-begun
		for i := range 50 { // each a round to the store
			if _, err := s.GetFile(ctx, file.GetParams{ID: fmt.Sprint(strings.Repeat("x", i))}); fault.KindOf(err) != fault.NotFound {
				return err
			}
		}
		_, err := s.GetFile(ctx, file.GetParams{ID: "a"})
		early = err == nil
		return nil
	}})
	if err != nil || early {
		t.Errorf("%v; added during the removal: %v", err, early)
	}
	if err := <-added; err != nil {
		t.Error(err)
	}
}
