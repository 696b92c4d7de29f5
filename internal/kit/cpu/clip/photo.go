package clip

import (
	"context"
	"fmt"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/worker"
)

// AnimatePhoto animates still pictures: one clip for each source, prompt or
// variation.
func AnimatePhoto(ctx context.Context, t task.Task) ([]worker.Output, error) {
	sources, ends := inputNames(t, "sourceImageIndex", "sourceImageIndices"), inputNames(t, "endImageIndex", "endImageIndices")
	if len(sources) == 0 {
		return nil, worker.Failf("animate_photo needs a picture to animate.")
	}
	frames, err := frameCount(t, 5)
	if err != nil {
		return nil, err
	}
	prompts := t.Texts("prompts")
	return renderClips(ctx, t, "animating", func(i int, seed int64) (*output, error) {
		prompt := t.Text("prompt")
		if len(prompts) > 0 {
			prompt = prompts[min(i, len(prompts)-1)]
		}
		source, err := t.Picture(ctx, sources[min(i, len(sources)-1)])
		if err != nil {
			return nil, err
		}
		w, h, err := frameSize(t, source.Bounds().Dx(), source.Bounds().Dy())
		if err != nil {
			return nil, err
		}
		k := &output{width: w, height: h, frames: frames}
		first, err := footage.Cover(ctx, source, w, h)
		if err != nil {
			return nil, err
		}
		last := k.seconds() - 1.0/footage.FrameRate
		role := t.Text("frameRole")
		stops := []motion.Stop{{At: 0, Img: first}}
		if role == "end" {
			stops[0].At = last
		}
		if len(ends) > 0 {
			end, err := t.Picture(ctx, ends[min(i, len(ends)-1)])
			if err != nil {
				return nil, err
			}
			picture, err := footage.Cover(ctx, end, w, h)
			if err != nil {
				return nil, err
			}
			stops[0].At = 0
			stops = append(stops, motion.Stop{At: last, Img: picture})
		} else if role == "both" {
			return nil, worker.Failf("animate_photo needs an end image when the picture is the first frame and another the last.")
		}
		more, err := keyframes(ctx, t, w, h, last)
		if err != nil {
			return nil, err
		}
		noteLimits(t, k)
		return k, k.animateStills(ctx, t, append(stops, more...), prompt, seed, role == "end")
	})
}

// animateStills makes the frames and the sound of a clip from still pictures.
func (k *output) animateStills(ctx context.Context, t task.Task, stops []motion.Stop, prompt string, seed int64, back bool) error {
	j, err := motion.NewSlideshow(ctx, k.width, k.height, k.seconds(), stops, prompt, seed)
	if err != nil {
		return err
	}
	j.Back = back && len(j.Stops) == 1
	k.setMarked(t, func(i int) (*image.RGBA, error) { return j.Frame(float64(i) / footage.FrameRate), nil })
	k.note("pictures", len(j.Stops))
	if j.Depth != nil {
		k.note("camera", j.Camera.Name)
	}
	if len(j.Effect.Names) > 0 {
		k.note("effects", j.Effect.Names)
	}
	return k.addSound(ctx, t, prompt, seed)
}

// addSound gives the clip a sound that fits its prompt, unless generateAudio is
// false.
func (k *output) addSound(ctx context.Context, t task.Task, prompt string, seed int64) error {
	if !t.Flag("generateAudio", true) {
		return nil
	}
	d, heard, err := soundtrack{prompt: prompt, seconds: k.seconds(), seed: seed, persona: t.Text("voicePersonaName")}.mix(ctx, t)
	if err != nil {
		return err
	}
	k.sound = d.Sound()
	k.note("heard", heard)
	return nil
}

// inputNames returns the inputs of an argument that can be single or a list.
func inputNames(t task.Task, single, list string) []string {
	if _, ok := t.Files[single]; ok {
		return []string{single}
	}
	var out []string
	for n := range t.Paths(list) {
		if n == 0 {
			out = append(out, list)
		} else {
			out = append(out, fmt.Sprintf("%s#%d", list, n))
		}
	}
	return out
}

// keyframes returns the pictures that a clip shows at given times.
func keyframes(ctx context.Context, t task.Task, w, h int, last float64) ([]motion.Stop, error) {
	list, _ := t.Arguments["keyframes"].([]any)
	var out []motion.Stop
	for i, item := range list {
		o, _ := item.(map[string]any)
		at, _ := o["atSeconds"].(float64)
		img, err := t.Picture(ctx, fmt.Sprintf("keyframes[%d].imageIndex", i))
		if err != nil {
			return nil, err
		}
		if img == nil {
			return nil, worker.Failf("The picture of keyframe %d is missing.", i)
		}
		fitted, err := footage.Cover(ctx, img, w, h)
		if err != nil {
			return nil, err
		}
		out = append(out, motion.Stop{At: min(at, last), Img: fitted})
	}
	return out, nil
}

// noteLimits notes the arguments that this renderer does not follow.
func noteLimits(t task.Task, k *output) {
	if len(t.Loras) > 0 {
		k.addNote("the LoRAs are not loaded: " + task.LoraNote)
	}
	if name := t.Text("voicePersonaName"); name != "" && !isStudioVoice(name) {
		k.addNote(fmt.Sprintf("the voice of %s is not known here; another one speaks", name))
	}
}
