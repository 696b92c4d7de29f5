package spotcheck

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/thumbnail"
)

// Pictures are compared after they were reduced to edge pixels: two graphics cards make the
// same picture from the same order but for details. They are the same if their colours
// correlate by at least leastCorrelation. Pictures with nearly one colour are the same if
// the colour is.
const (
	edge             = 32
	leastCorrelation = 0.85
	flat             = 3.0  // the standard deviation of a channel, of 255
	nearColour       = 16.0 // how far two such colours may be apart
)

// result is what a render has made: a small picture of each artifact, or none for one that
// cannot be decoded, which is the same as no other.
type result []*image.RGBA

// errDeleted means that a result is no longer there.
var errDeleted = errors.New("spotcheck: a result was deleted")

// read reads what a job has made.
func (e *Engine) read(ctx context.Context, id atelier.JobID) (out result, err error) {
	var artifacts []atelier.Artifact
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		artifacts, err = tx.Artifacts(id)
		return err
	})
	if err == nil && (len(artifacts) == 0 || slices.ContainsFunc(artifacts, func(a atelier.Artifact) bool { return strings.HasPrefix(a.Key, store.DeletedKey) })) {
		err = errDeleted
	}
	for _, a := range artifacts {
		if err != nil {
			break
		}
		var small *image.RGBA
		small, err = e.reduce(ctx, a.Key)
		out = append(out, small)
	}
	return out, err
}

// reduce makes a stored picture small; nil means that it cannot be decoded.
func (e *Engine) reduce(ctx context.Context, key string) (small *image.RGBA, err error) {
	file, _, err := e.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errDeleted
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = e.media.Decode(ctx, e.opts.Payer, file, edge, func(p image.Image) error {
		small = thumbnail.Reduce(p, edge)
		return nil
	})
	if atelier.HasCode(err, atelier.CodeInvalidRequest) {
		return nil, nil
	}
	return small, err
}

// same reports whether two results are the same, picture by picture.
func (r result) same(other result) bool {
	if len(r) != len(other) {
		return false
	}
	for i := range r {
		if r[i] == nil || other[i] == nil || !samePicture(r[i], other[i]) {
			return false
		}
	}
	return true
}

func samePicture(a, b *image.RGBA) bool {
	if a.Bounds().Size() != b.Bounds().Size() {
		return false
	}
	meanA, meanB, n := [3]float64{}, [3]float64{}, float64(len(a.Pix)/4)
	each := func(do func(channel int, x, y float64)) {
		for i := 0; i < len(a.Pix); i += 4 {
			for k := range 3 {
				do(k, float64(a.Pix[i+k]), float64(b.Pix[i+k]))
			}
		}
	}
	each(func(k int, x, y float64) { meanA[k] += x / n; meanB[k] += y / n })
	var both, ofA, ofB, apart float64
	each(func(k int, x, y float64) {
		x, y = x-meanA[k], y-meanB[k]
		both, ofA, ofB = both+x*y, ofA+x*x, ofB+y*y
	})
	for k := range 3 {
		apart = max(apart, math.Abs(meanA[k]-meanB[k]))
	}
	if least := 3 * n * flat * flat; ofA < least || ofB < least {
		return apart <= nearColour && max(ofA, ofB) < 4*least
	}
	return both >= leastCorrelation*math.Sqrt(ofA*ofB)
}
