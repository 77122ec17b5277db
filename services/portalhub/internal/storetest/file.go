package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/file"
)

var fileCases = []testCase{
	{"File/add keeps every value byte by byte", testFileValues},
	{"File/get misses what is not there", testFileUnknown},
	{"File/get misses what is not kept", testFileKeep},
	{"File/left are those that are not kept, the oldest first", testFileLeft},
	{"File/drop removes what is not kept, and its blob unless another file has it", testFileDrop},
	{"File/a blob that cannot be removed is no change", testFileDropFails},
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
	keepFile(t, s, "a", "h")
	keepFile(t, s, "b", "h")
	for _, id := range []string{"a", "b"} {
		got, err := s.GetFile(t.Context(), file.GetParams{ID: id})
		if diff := cmp.Diff(newFile(id, "h"), got); diff != "" || err != nil {
			t.Errorf("%v, file (-want +got):\n%s", err, diff)
		}
	}
}

func testFileUnknown(t *testing.T, s portalhub.Store) {
	keepFile(t, s, "a", "h")
	for _, id := range []string{"", "A", "a ", "h", "%"} {
		if _, err := s.GetFile(t.Context(), file.GetParams{ID: id}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// keepFile adds a file and says that it is kept.
func keepFile(t *testing.T, s portalhub.Store, id, hash string) {
	t.Helper()
	addFile(t, s, id, hash)
	if kept, err := s.KeepFile(t.Context(), file.KeepParams{ID: id}); err != nil || !kept {
		t.Fatalf("%v, %v", kept, err)
	}
}

// dropFile drops a file, and tells whether that removed the blob of its hash.
func dropFile(t *testing.T, s portalhub.Store, id, hash string) (removed bool) {
	t.Helper()
	err := s.DropFile(t.Context(), file.DropParams{ID: id, Hash: hash, Remove: func(context.Context) error {
		removed = true
		return nil
	}})
	if err != nil {
		t.Error(err)
	}
	return removed
}

// left lists the ids of what is not kept.
func left(t *testing.T, s portalhub.Store, p file.ListLeftParams) (ids []string) {
	t.Helper()
	files, err := s.ListLeft(t.Context(), p)
	if err != nil {
		t.Error(err)
	}
	for _, f := range files {
		ids = append(ids, f.ID)
	}
	return ids
}

func testFileKeep(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	if _, err := s.GetFile(t.Context(), file.GetParams{ID: "a"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("before: %v", err)
	}
	for range 2 {
		if kept, err := s.KeepFile(t.Context(), file.KeepParams{ID: "a"}); err != nil || !kept {
			t.Errorf("%v, %v", kept, err)
		}
	}
	if _, err := s.GetFile(t.Context(), file.GetParams{ID: "a"}); err != nil {
		t.Errorf("after: %v", err)
	}
	if kept, err := s.KeepFile(t.Context(), file.KeepParams{ID: "b"}); err != nil || kept {
		t.Errorf("one that is not there: %v, %v", kept, err)
	}
}

func testFileLeft(t *testing.T, s portalhub.Store) {
	keepFile(t, s, "kept", "h1")
	for i, id := range []string{"c", "b", "a"} {
		f := newFile(id, "h"+id)
		f.CreateTime = at(i)
		if err := s.AddFile(t.Context(), file.AddParams{File: f}); err != nil {
			t.Fatal(err)
		}
	}
	if got := left(t, s, file.ListLeftParams{Before: at(2), Limit: 10}); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("before the last there are %v", got)
	}
	if got := left(t, s, file.ListLeftParams{Before: at(3), Limit: 1}); !slices.Equal(got, []string{"c"}) {
		t.Errorf("the first is %v", got)
	}
	files, err := s.ListLeft(t.Context(), file.ListLeftParams{Before: at(3), Limit: 1})
	want := newFile("c", "hc")
	want.CreateTime = at(0)
	if diff := cmp.Diff([]file.File{want}, files); diff != "" || err != nil {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
}

func testFileDrop(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	keepFile(t, s, "b", "h")
	if dropFile(t, s, "a", "h") || len(left(t, s, file.ListLeftParams{Before: at(9), Limit: 1})) > 0 {
		t.Error("the blob of another file is removed, or the file is still there")
	}
	if dropFile(t, s, "b", "h") {
		t.Error("the blob of a file that is kept is removed")
	}
	if _, err := s.GetFile(t.Context(), file.GetParams{ID: "b"}); err != nil {
		t.Errorf("a file that is kept: %v", err)
	}
	addFile(t, s, "c", "other")
	for range 2 { // a repeat removes once more what the first one has removed perhaps
		if !dropFile(t, s, "c", "other") {
			t.Error("a blob of no file is not removed")
		}
	}
}

func testFileDropFails(t *testing.T, s portalhub.Store) {
	addFile(t, s, "a", "h")
	away := errors.New("away")
	err := s.DropFile(t.Context(), file.DropParams{ID: "a", Hash: "h", Remove: func(context.Context) error { return away }})
	if got := left(t, s, file.ListLeftParams{Before: at(9), Limit: 10}); !errors.Is(err, away) || !slices.Equal(got, []string{"a"}) {
		t.Errorf("%v, and there is %v", err, got)
	}
	addFile(t, s, "b", "h")
}

// testFileAddWaits begins to add a file in the middle of a removal, and gives it every chance to come first.
func testFileAddWaits(t *testing.T, s portalhub.Store) {
	added := make(chan error, 1)
	var early bool
	err := s.DropFile(t.Context(), file.DropParams{ID: "b", Hash: "h", Remove: func(ctx context.Context) error {
		begun := make(chan struct{})
		go func() {
			close(begun)
			added <- s.AddFile(t.Context(), file.AddParams{File: newFile("a", "h")})
		}()
		<-begun
		for range 50 { // each a round to the store
			found, err := s.ListLeft(ctx, file.ListLeftParams{Before: at(9), Limit: 1})
			if err != nil {
				return err
			}
			early = early || len(found) > 0
		}
		return nil
	}})
	if err != nil || early {
		t.Errorf("%v; added during the removal: %v", err, early)
	}
	if err := <-added; err != nil {
		t.Error(err)
	}
}
