package film

import "fmt"

// Bounds of a clip whose frames are read. A still picture that lasts for
// minutes takes a few bytes a frame, so the bytes of a file alone do not bound
// the work; a clip that unfolds to more than its size makes likely is refused.
const (
	maxLength     = 30 * 60     // seconds
	maxPixels     = 7680 * 4320 // of a frame
	freePixels    = 4 << 30     // of all frames, whatever the size of the file: a minute and more in full HD
	pixelsPerByte = 4096        // of the file, besides; a calm clip of a camera has some hundreds
)

// check says whether the frames of a clip in a file of size bytes are read.
func (f Facts) check(size int64) error {
	pixels := int64(f.Width) * int64(f.Height)
	switch {
	case pixels > maxPixels:
		return fmt.Errorf("film: frames of %dx%d are too large: at most %d pixels are read", f.Width, f.Height, maxPixels)
	case !(f.Seconds() <= maxLength):
		return fmt.Errorf("film: the clip lasts %.0f seconds: at most %d are read", f.Seconds(), maxLength)
	case pixels*int64(f.Frames) > freePixels+pixelsPerByte*size:
		return fmt.Errorf("film: %d frames of %dx%d are more than a file of %d bytes may unfold to: cut the clip or make it smaller", f.Frames, f.Width, f.Height, size)
	}
	return nil
}
