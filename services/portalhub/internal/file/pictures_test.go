package file

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// picture draws something that no encoder makes small.
func picture(width, height int) *image.Paletted {
	p := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White, color.Gray{100}})
	for i := range p.Pix {
		p.Pix[i] = byte(i * i % 7 % 3)
	}
	return p
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aPNG(t testing.TB) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, picture(30, 20)) })
}

func aJPEG(t testing.TB) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, picture(30, 20), nil) })
}

func aGIF(t testing.TB) []byte {
	return encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{picture(30, 20), picture(10, 10)}, Delay: []int{1, 2}})
	})
}

// aWebP is one pixel, lossy or not.
func aWebP(t testing.TB, lossless bool) []byte {
	t.Helper()
	text := "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	if lossless {
		text = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// riff makes a WebP of chunks.
func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return riffChunk("RIFF", body)
}

func riffChunk(kind string, body []byte) []byte {
	b := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// canvas and frame are the chunks of an animation whose sides are a power of two.
func canvas(bits int) []byte {
	return riffChunk("VP8X", append([]byte{2, 0, 0, 0}, append(side(bits), side(bits)...)...))
}

func frame(bits int, picture []byte) []byte {
	head := append(make([]byte, 6), append(side(bits), side(bits)...)...)
	return riffChunk("ANMF", append(append(head, 1, 0, 0, 0), picture...))
}

// shortFrame is a WebP whose last chunk is a frame without its header, with bytes behind its end in the place of that.
func shortFrame(t testing.TB) []byte {
	return append(riff(aWebP(t, false)[12:], riffChunk("ANMF", nil)), "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00evil"...)
}

// side is 2 to the power of bits, less one.
func side(bits int) []byte { return binary.LittleEndian.AppendUint32(nil, 1<<bits-1)[:3] }

// anAnimation is a WebP of two frames.
func anAnimation(t testing.TB) []byte {
	one := aWebP(t, false)[12:]
	return riff(canvas(0), riffChunk("ANIM", make([]byte, 6)), frame(0, one), frame(0, aWebP(t, true)[12:]), riffChunk("EXIF", []byte("odd")))
}

// scans makes a JPEG of two scans, with stuffed and fill bytes and a restart, which need not make sense.
func scans(frame byte, height, width uint16) []byte {
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, height), width)
	return bytes.Join([][]byte{
		{0xff, 0xd8},
		segment(0xe1, []byte("Exif with \xff\xd9 in it")), segment(frame, append(append([]byte{8}, size...), 1, 1, 0x11, 0)),
		segment(0xc4, make([]byte, 17)), segment(0xda, []byte{1, 1, 0, 0, 0, 0}),
		{1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0xff},
		segment(0xc4, make([]byte, 17)), segment(0xda, []byte{1, 1, 0, 0, 0, 0}),
		{5, 0xff, 0, 6, 0xff, 0xd9},
	}, nil)
}

func segment(marker byte, body []byte) []byte {
	return append([]byte{0xff, marker, 0, byte(len(body) + 2)}, body...)
}

// pictures are a few of each type.
func pictures(t testing.TB) map[string]struct {
	kind  Type
	bytes []byte
} {
	return map[string]struct {
		kind  Type
		bytes []byte
	}{
		"PNG":              {PNG, aPNG(t)},
		"JPEG":             {JPEG, aJPEG(t)},
		"progressive JPEG": {JPEG, scans(0xc2, 20, 30)},
		"GIF":              {GIF, aGIF(t)},
		"lossy WebP":       {WebP, aWebP(t, false)},
		"lossless WebP":    {WebP, aWebP(t, true)},
		"animated WebP":    {WebP, anAnimation(t)},
	}
}
