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
			if got, err := inspect(r); got != p.kind || err != nil {
				t.Errorf("%s, %s: %v, %v", name, how, got, err)
			}
		}
	}
	for _, text := range []string{"%PDF-1.7\n%%EOF", "%PDF-2.0\n" + strings.Repeat("x", 100_000)} {
		if got, err := inspect(strings.NewReader(text)); got != PDF || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestNothingFollowsAPicture has bytes behind the end of each container: scripts, pages, archives and zeros.
func TestNothingFollowsAPicture(t *testing.T) {
	for name, p := range pictures(t) {
		for _, tail := range []string{"\x00", "\n", "<script>alert(1)</script>", "PK\x03\x04", "*/=1;alert(1)//", string(p.bytes)} {
			wantRefused(t, name+" and "+tail[:1], append(bytes.Clone(p.bytes), tail...), "the file goes on after the end of the "+p.kind.String())
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
	if _, err := inspect(bytes.NewReader(p)); err != nil {
		t.Errorf("50 megapixels: %v", err)
	}
}

func TestFaultsOfReadingAreKept(t *testing.T) {
	broken := errors.New("broken")
	for name, p := range pictures(t) {
		for n := range len(p.bytes) {
			r := io.MultiReader(bytes.NewReader(p.bytes[:n]), iotest.ErrReader(broken))
			if _, err := inspect(r); !errors.Is(err, broken) {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
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
		kind, err := inspect(bytes.NewReader(b))
		if err != nil {
			if fault.As(err).Field != "type" {
				t.Errorf("%v", err)
			}
			return
		}
		c, name, err := image.DecodeConfig(bytes.NewReader(b))
		if err == nil && (!strings.EqualFold(name, kind.String()) || c.Width*c.Height > maxPixels) {
			t.Errorf("%v, and the library says %s with %d x %d", kind, name, c.Width, c.Height)
		}
	})
}

func wantRefused(t *testing.T, name string, b []byte, want string) {
	t.Helper()
	_, err := inspect(bytes.NewReader(b))
	if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Field != "type" || f.Public != want {
		t.Errorf("%q, %d bytes: %v, want %s", name, len(b), err, want)
	}
}
