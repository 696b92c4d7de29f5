package mesh

import (
	"context"
	"errors"
	"image"
)

// Options bound a model. The zero value gives the defaults.
type Options struct {
	Faces         int // at most this many triangles; 40,000 when 0
	TextureSize   int // longest side of the base colour in pixels; 1024 when 0
	NormalMapSize int // longest side of the normal map; 512 when 0
	Generator     string
}

// The bounds of Options. The tool's own are narrower.
const (
	minFaces, maxFaces     = 64, 700_000
	minTexture, maxTexture = 16, 4096
)

// ErrPicture is returned for a picture that is too small.
var ErrPicture = errors.New("mesh: the picture must be at least 4 by 4 pixels")

func (o Options) withDefaults() Options {
	set := func(v *int, otherwise, lo, hi int) {
		if *v == 0 {
			*v = otherwise
		}
		*v = min(max(*v, lo), hi)
	}
	set(&o.Faces, 40_000, minFaces, maxFaces)
	set(&o.TextureSize, 1024, minTexture, maxTexture)
	set(&o.NormalMapSize, 512, minTexture, maxTexture)
	if o.Generator == "" {
		o.Generator = "atelier cpu"
	}
	return o
}

// Model makes a GLB of the subject of a picture.
func Model(ctx context.Context, img image.Image, o Options) ([]byte, error) {
	o = o.withDefaults()
	if b := img.Bounds(); b.Dx() < 4 || b.Dy() < 4 {
		return nil, ErrPicture
	}
	small := shrink(img, analysisSide)
	mask := cut(small)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	solid := inflate(mask, small, o.Faces)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	base, err := baseColour(img, mask, o.TextureSize)
	if err != nil {
		return nil, err
	}
	normals, err := normalMap(img, o.NormalMapSize)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return encode(solid, base, normals, o.Generator)
}
