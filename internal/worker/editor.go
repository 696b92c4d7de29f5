package worker

import (
	"context"
	"image"
	"io"
)

// Editor works on the files of jobs that another service renders: it reads frames of clips,
// joins clips, and reads masks.
type Editor interface {
	// ReadsAnyClip reports whether it reads clips of other programs too.
	ReadsAnyClip() bool

	// ClipFacts reads what the clip at path is.
	ClipFacts(ctx context.Context, path string) (ClipFacts, error)

	// EdgeFrames returns the frames around the part of a clip from first up to last, which is
	// not included: the one before it, or else the first of the clip, and the one after it,
	// which is nil where the clip ends before.
	EdgeFrames(ctx context.Context, path string, first, last int) (before, after image.Image, err error)

	// Join writes a clip in which another one takes the place of a part.
	Join(ctx context.Context, w io.Writer, s Splice) error

	// Mask fits a mask to a size. White is selected, black and transparent are not.
	Mask(ctx context.Context, mask image.Image, width, height int) (*image.Gray, error)
}

// ClipFacts is what a clip is.
type ClipFacts struct {
	Width, Height int
	FPS, Den      int // frames a second, as a fraction
	Frames        int
}

// Rate is frames a second.
func (f ClipFacts) Rate() float64 { return float64(f.FPS) / float64(f.Den) }

// Seconds is the length of the pictures.
func (f ClipFacts) Seconds() float64 { return float64(f.Frames) * float64(f.Den) / float64(f.FPS) }

// Splice is a clip that takes the place of a part of another one, or follows it.
type Splice struct {
	Source, Part string // paths
	First, Last  int    // frames of the source that the part replaces; Last is not included
	KeepSound    bool   // of the whole source, also during the new part

	Format   string // mp4 or mov
	MaxBytes int64
	Tool     string // named in the file
	Folder   string // for temporary files
}
