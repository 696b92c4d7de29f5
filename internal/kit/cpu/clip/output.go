package clip

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxClip bounds the file of a clip.
const maxClip = 96 << 20

// output is a clip to be encoded: its frames are requested one by one, in
// order.
type output struct {
	width, height int
	fps, den      int // 24 frames a second if zero
	frames        int
	sound         *film.Sound
	seed          int64
	metadata      map[string]any
	frame         func(i int) (image.Image, error)
	inputs        []*task.Video // videos that are read for it
}

// keepOpen keeps an input video open until the clip is encoded.
func (k *output) keepOpen(r *task.Video) *task.Video {
	k.inputs = append(k.inputs, r)
	return r
}

func (k *output) close() {
	for _, r := range k.inputs {
		r.Close()
	}
}

// seconds returns the length of the clip.
func (k *output) seconds() float64 {
	if k.fps == 0 {
		return float64(k.frames) / footage.FrameRate
	}
	return float64(k.frames) * float64(max(k.den, 1)) / float64(k.fps)
}

// note adds to the metadata of the clip.
func (k *output) note(name string, value any) {
	if k.metadata == nil {
		k.metadata = map[string]any{}
	}
	k.metadata[name] = value
}

// addNote adds a sentence to the notes in the metadata.
func (k *output) addNote(sentence string) {
	notes, _ := k.metadata["notes"].([]string)
	k.note("notes", append(notes, sentence))
}

// audioCodecs are the names of the audio codecs.
var audioCodecs = map[string]string{mp4.AAC: "aac", "mp4a.40.2": "aac", mp4.FLAC: "flac", mp4.PCM: "pcm"}

// splitSlots returns the artifacts that are clips, and those for the last frame
// of each.
func splitSlots(t task.Task) (clips, stills []apitype.AssignmentArtifact) {
	for _, s := range t.Artifacts {
		if strings.HasPrefix(s.ContentType, "image/") {
			stills = append(stills, s)
		} else {
			clips = append(clips, s)
		}
	}
	return clips, stills
}

// renderClips makes a clip for each artifact. prepare returns the output for
// one.
func renderClips(ctx context.Context, t task.Task, message string, prepare func(i int, seed int64) (*output, error)) ([]worker.Output, error) {
	clips, stills := splitSlots(t)
	if len(clips) == 0 {
		return nil, worker.Failf("There is no clip to make.")
	}
	var out []worker.Output
	for i, slot := range clips {
		seed := t.Seed + int64(i)
		t.Report(float64(i)/float64(len(clips)), message)
		var still *apitype.AssignmentArtifact
		if i < len(stills) {
			still = &stills[i]
		}
		made, err := func() ([]worker.Output, error) {
			k, err := prepare(i, seed)
			if k != nil {
				defer k.close()
			}
			if err != nil {
				return nil, task.Failure(err)
			}
			k.seed = seed
			return k.encode(ctx, t, slot, still, func(f float64) { t.Report((float64(i)+f)/float64(len(clips)), message) })
		}()
		if err != nil {
			return nil, err
		}
		out = append(out, made...)
	}
	return out, nil
}

// encode writes the clip, and its last frame when the job asks for it.
func (k *output) encode(ctx context.Context, t task.Task, slot apitype.AssignmentArtifact, still *apitype.AssignmentArtifact, progress func(float64)) ([]worker.Output, error) {
	format := "mp4"
	switch filetype.Canonical(slot.ContentType) {
	case "video/mp4":
	case "video/quicktime":
		format = "mov"
	default:
		return nil, worker.Failf("The CPU renderer writes MP4 and MOV, not %s.", slot.ContentType)
	}
	if k.fps == 0 {
		k.fps = footage.FrameRate
	}
	path := filepath.Join(t.Folder, slot.ID+"."+format)
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	var last []byte
	frame := func(i int) (image.Image, error) {
		img, err := k.frame(i)
		if err == nil {
			img, err = t.Tint(ctx, img)
		}
		if err == nil && still != nil && i == k.frames-1 {
			last, err = encodePNG(img)
		}
		return img, err
	}
	info, err := film.Write(ctx, f, film.Options{
		Width: k.width, Height: k.height, FPS: k.fps, Den: k.den, Frames: k.frames, Sound: k.sound, Format: format, Engine: t.Engine,
		MaxBytes: maxClip, Tool: task.RendererName, TempDir: t.Folder,
	}, withPreviews(ctx, t, slot.ID, frame), progress)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, task.Failure(err)
	}
	metadata := map[string]any{"fps": float64(k.fps) / float64(max(k.den, 1)), "frames": k.frames, "encoder": string(info.Engine), "sound": k.sound != nil}
	if info.Audio != "" {
		metadata["audioCodec"] = audioCodecs[info.Audio]
	}
	if info.Audio == mp4.FLAC {
		k.addNote("the sound is FLAC, which Chrome, Edge and Firefox play in MP4 and Safari may not; with ffmpeg on the worker's PATH it is AAC, which plays everywhere")
	}
	maps.Copy(metadata, k.metadata)
	out := []worker.Output{{
		ID: slot.ID, Path: path, Width: k.width, Height: k.height, DurationSeconds: k.seconds(), Seed: k.seed, Metadata: metadata,
	}}
	if still == nil {
		return out, nil
	}
	path = filepath.Join(t.Folder, still.ID+".png")
	if err := os.WriteFile(path, last, 0o600); err != nil {
		return nil, err
	}
	return append(out, worker.Output{
		ID: still.ID, Path: path, Width: k.width, Height: k.height, Seed: k.seed, Metadata: map[string]any{"lastFrameOf": slot.ID},
	}), nil
}

// encodePNG returns a frame as a PNG.
func encodePNG(img image.Image) ([]byte, error) {
	if s, ok := img.(*film.Samples); ok {
		img = s.RGBA(nil)
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes(), err
}

// setMarked sets the frames of the clip, with the watermark.
func (k *output) setMarked(t task.Task, frame func(int) (*image.RGBA, error)) {
	mark := watermark(t, k.width, k.height)
	k.frame = func(i int) (image.Image, error) {
		img, err := frame(i)
		if err == nil {
			mark(img)
		}
		return img, err
	}
}

// watermark returns the function that draws the watermark into a frame, if the
// job asks for one.
func watermark(t task.Task, w, h int) func(*image.RGBA) {
	nothing := func(*image.RGBA) {}
	if !t.Flag("watermark", false) {
		return nothing
	}
	mark, err := paint.Lettering{Size: max(8, float64(min(w, h))*0.035), Colour: color.NRGBA{255, 255, 255, 170}}.Write("atelier")
	if err != nil {
		return nothing // the frame is too small
	}
	b := mark.Rect.Add(image.Pt(w-mark.Rect.Dx()-h/40, h-mark.Rect.Dy()-h/40))
	return func(img *image.RGBA) { draw.Draw(img, b, mark, image.Point{}, draw.Over) }
}

// openVideo opens the video of an argument, and returns an output like it that
// closes it.
func openVideo(ctx context.Context, t task.Task, argument string) (*task.Video, *output, error) {
	r, err := t.Video(ctx, argument)
	if err != nil {
		return nil, nil, err
	}
	k := outputLike(r)
	k.keepOpen(r)
	return r, k, nil
}

// outputLike returns an output of the same size, rate and length as a video.
func outputLike(r *task.Video) *output {
	w, h := r.Size()
	return &output{width: w, height: h, fps: r.FPS, den: r.Den, frames: r.Frames}
}
