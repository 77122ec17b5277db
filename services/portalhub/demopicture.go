package portalhub

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The size of the pictures of a demo.
const pictureWidth, pictureHeight = 960, 480

// scene is a picture of hills under a sky.
type scene struct {
	sky, horizon, hill, sun color.NRGBA
	// height of the sun over the horizon, from 0 to 1, and a number by which the hills differ.
	height, shape float64
}

// draw gives it as a PNG.
func (s scene) draw() ([]byte, error) {
	picture := image.NewNRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	for y := range pictureHeight {
		for x := range pictureWidth {
			picture.SetNRGBA(x, y, s.at(float64(x)/pictureWidth, float64(y)/pictureHeight))
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, picture)
	return b.Bytes(), err
}

// at is the colour of a place, from 0 to 1 in both directions.
func (s scene) at(x, y float64) color.NRGBA {
	for i := 2; i >= 0; i-- { // the nearest hill first
		nearness := float64(i + 1)
		ridge := 0.5 + 0.12*nearness + 0.07*math.Sin(s.shape+nearness*1.7+x*(9-2*nearness))
		if y > ridge {
			return mix(s.horizon, s.hill, 0.3*nearness)
		}
	}
	if math.Hypot((x-0.7)*pictureWidth/pictureHeight, y-0.55+0.45*s.height) < 0.08 {
		return s.sun
	}
	return mix(s.sky, s.horizon, min(1, y/0.65))
}

// mix goes from a colour to another one.
func mix(from, to color.NRGBA, part float64) color.NRGBA {
	between := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part) }
	return color.NRGBA{between(from.R, to.R), between(from.G, to.G), between(from.B, to.B), 255}
}

// fillPicture stores a picture and gives its address, or none where the hub keeps no files.
func (s *Service) fillPicture(ctx context.Context, picture *scene) (address string, err error) {
	if picture == nil || s.files == nil {
		return "", nil
	}
	drawn, err := picture.draw()
	if err != nil {
		return "", err
	}
	stored, err := s.files.Upload(ctx, demoEditor, "picture.png", bytes.NewReader(drawn))
	if err != nil {
		return "", err
	}
	return "/files/" + stored.ID, nil
}
