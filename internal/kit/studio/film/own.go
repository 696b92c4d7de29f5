package film

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// writeBuiltIn encodes with the packages h264, flac and mp4.
func writeBuiltIn(ctx context.Context, w io.Writer, o Options, dir string, frame func(int) (image.Image, error), progress func(float64)) (Info, error) {
	sound, err := newSoundtrack(o)
	if err != nil {
		return Info{}, err
	}
	video := h264.Options{Width: o.Width, Height: o.Height, Rate: h264.Rate{Num: o.FPS, Den: o.Den}, QP: o.Quality, Frames: o.Frames}
	if o.MaxBytes > 0 {
		// The index takes some bytes a sample; sound is lossless, so its size is
		// fixed and the pictures share the rest.
		video.MaxBytes = o.MaxBytes - 2048 - int64(len(o.Tool)+len(o.Comment)) - 8*int64(o.Frames) - sound.size()
		if video.MaxBytes < int64(o.Frames)*16 {
			return Info{}, fmt.Errorf("%w of %d bytes", ErrTooLarge, o.MaxBytes)
		}
	}
	encoder, err := h264.NewEncoder(video)
	if err != nil {
		return Info{}, err
	}
	spool, err := os.Create(filepath.Join(dir, "samples"))
	if err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	defer spool.Close()
	file, err := mp4.NewWriter(spool, mp4.Options{
		Format: o.Format, Tool: o.Tool, Comment: o.Comment, Audio: sound.track(),
		Video: mp4.Video{Width: o.Width, Height: o.Height, Num: o.FPS, Den: o.Den, SPS: encoder.SPS(), PPS: encoder.PPS()},
	})
	if err != nil {
		return Info{}, err
	}
	var info Info
	for i := range o.Frames {
		if err := ctx.Err(); err != nil {
			return Info{}, err
		}
		img, err := frame(i)
		if err != nil {
			return Info{}, err
		}
		var coded h264.Frame
		if s, ok := img.(*Samples); ok {
			coded, err = encoder.EncodeYCbCr(s.YCbCr, false)
		} else {
			coded, err = encoder.Encode(img, false)
		}
		if err != nil {
			return Info{}, err
		}
		if coded.Key {
			info.Keys++
		}
		if err := sound.until(file, float64(i)/o.rate()); err != nil {
			return Info{}, err
		}
		if err := file.AddVideo(coded.Data, coded.Key); err != nil {
			return Info{}, err
		}
		progress(float64(i+1) / float64(o.Frames+1))
	}
	if err := sound.finish(file); err != nil {
		return Info{}, err
	}
	if o.MaxBytes > 0 && file.Length() > o.MaxBytes {
		return Info{}, fmt.Errorf("%w of %d bytes: it takes %d", ErrTooLarge, o.MaxBytes, file.Length())
	}
	n, err := file.WriteTo(w)
	if err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	info.Bytes = n
	info.Codec = fmt.Sprintf("avc1.%02X%02X%02X", encoder.SPS()[1], encoder.SPS()[2], encoder.SPS()[3])
	info.Audio = sound.codec()
	return info, nil
}
