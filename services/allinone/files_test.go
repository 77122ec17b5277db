package allinone_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// pdf is a body with a file of so many bytes, which is made while it is read.
func pdf(size int64) io.Reader {
	const head, tail = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.7\n", "\r\n--b--\r\n"
	return io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size-9), strings.NewReader(tail))
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// peak samples the live heap with what is not collected yet, until stop, and gives the largest value.
func peak(stop <-chan struct{}) uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	most := uint64(0)
	for tick := time.NewTicker(time.Millisecond); ; {
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64())
		select {
		case <-stop:
			return most
		case <-tick.C:
		}
	}
}

// TestUploadsTakeLittleMemory has 16 files of 10 MiB arrive at once: edge and portalhub, which share the process
// with the caller, hold none of them.
func TestUploadsTakeLittleMemory(t *testing.T) {
	hub := start(t)
	raw := demoToken(t, hub, "carla", "access_token")
	upload := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, hub.URL()+"/portal/admin/files/upload", pdf(10<<20))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+raw)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s %s %w", resp.Status, text, err)
		}
		return nil
	}
	measure := func(uploads int) uint64 {
		runtime.GC()
		stop, most := make(chan struct{}), make(chan uint64, 1)
		go func() { most <- peak(stop) }()
		var all sync.WaitGroup
		for range uploads {
			all.Go(func() {
				if err := upload(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		close(stop)
		return <-most
	}
	one, sixteen := measure(1), measure(16)
	t.Logf("peak of the heap: %d KiB with one upload, %d KiB with 16", one>>10, sixteen>>10)
	if sixteen > one+32<<20 {
		t.Errorf("16 uploads take %d MiB more than one", (sixteen-one)>>20)
	}
}

// TestAnUploadThatIsCutLeavesNothing goes away in the middle, and waits until Hub has noticed.
func TestAnUploadThatIsCutLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	hub := start(t, "HUB_FILES_URL=file:"+folder)
	raw := demoToken(t, hub, "carla", "access_token")
	body, send := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, hub.URL()+"/portal/admin/files/upload", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+raw)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if resp, err := http.DefaultClient.Do(r); err == nil {
			_ = resp.Body.Close()
		}
	}()
	if _, err := io.CopyN(send, pdf(10<<20), 1<<20); err != nil {
		t.Fatal(err)
	}
	left := func(folders string) []string {
		names, err := filepath.Glob(filepath.Join(folder, folders))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	wantDrafts := func(n int) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); len(left("drafts/*")) != n; runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("there is %v", left("drafts/*"))
			}
		}
	}
	wantDrafts(1)
	before := left("blobs/*/*") // the pictures of the demo
	_ = send.CloseWithError(os.ErrClosed)
	<-ended
	wantDrafts(0)
	if blobs := left("blobs/*/*"); !slices.Equal(blobs, before) {
		t.Errorf("there is %v, before it was %v", blobs, before)
	}
}
