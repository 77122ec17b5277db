package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/portalhub/blob/blobtest"
	"example.com/hub/services/portalhub/blob/disk"
	"example.com/hub/services/portalhub/internal/file"
)

func open(t *testing.T, folder string) *disk.Store {
	t.Helper()
	s, err := disk.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBlobs(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) file.Blobs { return open(t, t.TempDir()) })
}

// drafts lists what is being written.
func drafts(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(folder, "drafts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestDraftsGo(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	blobtest.Keep(t, s, []byte("x"))
	if left := drafts(t, folder); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
	if _, err := s.Create(t.Context()); err != nil { // which nobody discards, as in a crash
		t.Fatal(err)
	}
	if err := s.RemoveDrafts(t.Context(), time.Now().Add(-time.Minute)); err != nil || len(drafts(t, folder)) != 1 {
		t.Errorf("%v, there is %v", err, drafts(t, folder))
	}
	if err := s.RemoveDrafts(t.Context(), time.Now().Add(time.Minute)); err != nil || len(drafts(t, folder)) != 0 {
		t.Errorf("%v, there is %v", err, drafts(t, folder))
	}
}

func TestAFolderThatIsGoneIsUnavailable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	s := open(t, folder)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	_, created := s.Create(t.Context())
	listed := s.RemoveDrafts(t.Context(), time.Now())
	for what, err := range map[string]error{"create": created, "list": listed} {
		if err == nil || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
}
