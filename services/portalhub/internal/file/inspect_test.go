package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/hub/pkg/fault"
)

func TestTypesAreTold(t *testing.T) {
	for name, p := range pictures(t) {
		for how, r := range map[string]io.Reader{"at once": bytes.NewReader(p.bytes), "byte by byte": iotest.OneByteReader(bytes.NewReader(p.bytes))} {
			var kept bytes.Buffer
			if got, err := inspect(&kept, r); got != p.kind || err != nil || !bytes.Equal(kept.Bytes(), p.bytes) {
				t.Errorf("%s, %s: %v, %v, %d bytes of %d", name, how, got, err, kept.Len(), len(p.bytes))
			}
		}
	}
	for _, text := range []string{"%PDF-1.7\n%%EOF", "%PDF-2.0\n" + strings.Repeat("x", 100_000)} {
		var kept strings.Builder
		if got, err := inspect(&kept, strings.NewReader(text)); got != PDF || err != nil || kept.String() != text {
			t.Errorf("%v, %v, %d bytes of %d", got, err, kept.Len(), len(text))
		}
	}
}

// TestNothingFollowsAPicture has bytes behind the end of each container: scripts, pages, archives, zeros and other
// pictures.
func TestNothingFollowsAPicture(t *testing.T) {
	for name, p := range pictures(t) {
		for _, tail := range []string{"\x00", "\n", "<script>alert(1)</script>", "PK\x03\x04", "*/=1;alert(1)//", string(p.bytes), strings.Repeat("x", 100_000)} {
			name, whole := name+" and "+tail[:1], append(bytes.Clone(p.bytes), tail...)
			if p.kind != JPEG {
				wantRefused(t, name, whole, "the file goes on after the end of the "+p.kind.String())
				continue
			}
			var kept bytes.Buffer
			if got, err := inspect(&kept, bytes.NewReader(whole)); got != JPEG || err != nil || !bytes.Equal(kept.Bytes(), p.bytes) {
				t.Errorf("%s: %v, %v, %d bytes of %d", name, got, err, kept.Len(), len(p.bytes))
			}
		}
	}
}

// TestCutPicturesAreRefused cuts each picture everywhere.
func TestCutPicturesAreRefused(t *testing.T) {
	for name, p := range pictures(t) {
		for n := range len(p.bytes) {
			want := "the file is no whole " + p.kind.String()
			if typeOf(p.bytes[:min(n, peeked)]) == 0 {
				want = "the file is no PNG, GIF, WebP, JPEG or PDF"
			}
			wantRefused(t, name, p.bytes[:n], want)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	pngFile := aPNG(t)
	for _, text := range []string{
		"", " ", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<?xml version='1.0'?><svg/>", "<!doctype html>", "<html>", "GIF88a", "GIF89",
		"\xff\xd8", "RIFF\x00\x00\x00\x00WAVE", "BM", "\n%PDF-1.7", "PK\x03\x04", "MZ", "\x89PNG\n", "\x00\x00\x00\x20ftypavif", "#!/bin/sh", "%!PS",
	} {
		wantRefused(t, text, []byte(text), "the file is no PNG, GIF, WebP, JPEG or PDF")
	}
	for text, kind := range map[string]Type{
		// Polyglots: the beginning of one thing and the body of another.
		"GIF89a=\x001\x00;alert(document.domain)//":                          GIF,
		"GIF89a/\x00*\x00\x00\x00\x00*/=1;alert(1);//\x3b":                   GIF,
		"GIF89a\x01\x00\x01\x00\x00\x00\x00\x3b":                             GIF, // a screen without a picture
		"\x89PNG\r\n\x1a\n<html><script>alert(1)</script>":                   PNG,
		string(pngFile[:8]) + string(pngFile[33:]):                           PNG,  // no header
		string(pngFile[:33]) + string(pngFile[len(pngFile)-12:]):             PNG,  // no data
		string(pngFile[:33]) + string(pngFile[8:]):                           PNG,  // two headers
		"\xff\xd8\xff\xe0\x00\x01":                                           JPEG, // a segment shorter than its length
		"\xff\xd8\xff\xd9":                                                   JPEG,
		"\xff\xd8\xff<script>alert(1)</script>":                              JPEG,
		string(scans(0xc3, 2, 2)):                                            JPEG, // what no browser shows
		"RIFF\x04\x00\x00\x00WEBP":                                           WebP,
		string(riff(riffChunk("EXIF", []byte("x")))):                         WebP,
		string(riff(canvas(3))):                                              WebP,
		string(riff(canvas(3), frame(3, frame(3, nil)))):                     WebP,
		string(shortFrame(t)):                                                WebP,
		string(riff(riffChunk("VP8 ", []byte("<script>alert(1)</script>")))): WebP,
		string(riff(riffChunk("VP8L", []byte{0x2f}))):                        WebP,
	} {
		wantRefused(t, text, []byte(text), "the file is no whole "+kind.String())
	}
}

func TestPixelBombsAreRefused(t *testing.T) {
	bombs := map[string][]byte{}
	p := aPNG(t)
	binary.BigEndian.PutUint32(p[16:], 50_000_001)
	binary.BigEndian.PutUint32(p[20:], 1)
	bombs["PNG"] = p
	p = bytes.Clone(p)
	binary.BigEndian.PutUint32(p[16:], 1<<31)
	binary.BigEndian.PutUint32(p[20:], 1<<31)
	bombs["PNG that overflows"] = p
	p = bytes.Clone(p)
	binary.BigEndian.PutUint32(p[16:], 0)
	bombs["PNG of nothing"] = p
	bombs["JPEG"], bombs["JPEG of a later height"] = scans(0xc0, 65535, 65535), scans(0xc0, 0, 100)
	g := aGIF(t)
	binary.LittleEndian.PutUint16(g[6:], 65535)
	binary.LittleEndian.PutUint16(g[8:], 65535)
	bombs["GIF"] = g
	g = []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00\x3b")
	bombs["GIF of a small screen"] = g
	bombs["WebP"] = riff(canvas(24), frame(0, aWebP(t, true)[12:]))
	bombs["WebP of a large frame"] = riff(canvas(0), frame(13, aWebP(t, true)[12:]))
	lossless := binary.LittleEndian.AppendUint32([]byte{0x2f}, 1<<28-1)
	bombs["WebP without losses"] = riff(riffChunk("VP8L", lossless))
	lossy := append([]byte{0x30, 1, 0, 0x9d, 1, 0x2a}, 0xff, 0x3f, 0xff, 0x3f)
	bombs["WebP with losses"] = riff(riffChunk("VP8 ", lossy))
	for name, b := range bombs {
		kind, _, _ := strings.Cut(name, " ")
		wantRefused(t, name, b, "the "+kind+" must have 1 to 50000000 pixels")
	}
	p = aPNG(t)
	binary.BigEndian.PutUint32(p[16:], 5000)
	binary.BigEndian.PutUint32(p[20:], 10_000)
	if _, err := inspect(io.Discard, bytes.NewReader(p)); err != nil {
		t.Errorf("50 megapixels: %v", err)
	}
}

func TestFaultsOfReadingAreKept(t *testing.T) {
	broken := errors.New("broken")
	for name, p := range pictures(t) {
		for n := range len(p.bytes) {
			r := io.MultiReader(bytes.NewReader(p.bytes[:n]), iotest.ErrReader(broken))
			if _, err := inspect(io.Discard, r); !errors.Is(err, broken) {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
		}
	}
}

var errFull = errors.New("full")

// full is a place without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestFaultsOfWritingAreKept has them at the end, where a small file is written, and in the middle of large ones.
func TestFaultsOfWritingAreKept(t *testing.T) {
	files := [][]byte{
		[]byte("%PDF-" + strings.Repeat("x", 100_000)),
		bytes.Replace(scans(0xc0, 20, 30), []byte{5, 0xff, 0}, bytes.Repeat([]byte{5, 0xff, 0}, 100_000), 1),
	}
	for _, p := range pictures(t) {
		files = append(files, p.bytes)
	}
	for _, b := range files {
		if _, err := inspect(full{}, bytes.NewReader(b)); !errors.Is(err, errFull) {
			t.Errorf("%.12q, %d bytes: %v", b, len(b), err)
		}
	}
}

// FuzzInspect holds the walkers against the decoders of the standard library: of what is kept, both know the
// type and that it is no bomb.
func FuzzInspect(f *testing.F) {
	for _, p := range pictures(f) {
		f.Add(p.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var kept bytes.Buffer
		kind, err := inspect(&kept, bytes.NewReader(b))
		if err != nil {
			if fault.As(err).Field != "type" {
				t.Errorf("%v", err)
			}
			return
		}
		if !bytes.HasPrefix(b, kept.Bytes()) || kind != JPEG && kept.Len() != len(b) {
			t.Errorf("%v: %d bytes of %d are kept", kind, kept.Len(), len(b))
		}
		c, name, err := image.DecodeConfig(&kept)
		if err == nil && (!strings.EqualFold(name, kind.String()) || c.Width*c.Height > maxPixels) {
			t.Errorf("%v, and the library says %s with %d x %d", kind, name, c.Width, c.Height)
		}
	})
}

func wantRefused(t *testing.T, name string, b []byte, want string) {
	t.Helper()
	_, err := inspect(io.Discard, bytes.NewReader(b))
	if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Field != "type" || f.Public != want {
		t.Errorf("%q, %d bytes: %v, want %s", name, len(b), err, want)
	}
}
