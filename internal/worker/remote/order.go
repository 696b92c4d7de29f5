package remote

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/worker"
)

// order is one clip to make: what fills the slots of an adapter.
type order struct {
	values map[string]any
	files  map[string][]file // by slot
}

// clipTools are the tools of vendor video models.
var clipTools = []string{"generate_video", "animate_photo", "sound_to_video", "video_to_video", "extend_video", "replace_video_segment"}

// newOrder is the order for one artifact of a job.
func newOrder(t worker.Task, m Model, i int) (*order, error) {
	if !slices.Contains(clipTools, t.ToolName) {
		return nil, worker.Failf("The vendor does not support %s.", t.ToolName)
	}
	o := &order{values: map[string]any{
		"model": m.VendorID, "job": string(t.JobID), "seed": float64(t.Seed + int64(i)), "safeContentFilter": t.SafeContentFilter,
	}, files: map[string][]file{}}
	for _, name := range valueSlots {
		if v, ok := t.Arguments[name]; ok && v != nil && v != "" && o.values[name] == nil {
			o.values[name] = v
		}
	}
	if p := prompt(t, i); p != "" {
		o.values["prompt"] = p
	}
	if r, _ := t.Arguments["aspectRatio"].(string); r != "" {
		o.values["ratio"] = r
	}
	if w, h := number(t, "width"), number(t, "height"); w > 0 && h > 0 {
		o.values["size"] = fmt.Sprintf("%.0fx%.0f", w, h)
	}
	if t.ToolName == "replace_video_segment" && m.Duration != nil {
		// A short part is rendered at the model's minimum, and cut to fit.
		o.values["duration"] = max(number(t, "endSeconds")-number(t, "startSeconds"), m.Duration.Min)
	}
	o.gather(t, i)
	return o, nil
}

// gather assigns the files of a job to slots.
func (o *order) gather(t worker.Task, i int) {
	nth := func(one, list string) []file {
		if all := filesOf(t, list); len(all) > 0 {
			return all[min(i, len(all)-1):][:1]
		}
		return first(filesOf(t, one))
	}
	source, end := nth("sourceImageIndex", "sourceImageIndices"), nth("endImageIndex", "endImageIndices")
	if role, _ := t.Arguments["frameRole"].(string); role == "end" && t.ToolName == "animate_photo" {
		source, end = nil, source
	}
	o.files["image"], o.files["endImage"] = source, end
	o.files["audio"] = first(filesOf(t, "audioSourceIndex"))
	o.files["mask"] = first(filesOf(t, "maskImageIndex"))
	o.files["video"] = first(filesOf(t, "videoSourceIndex"))
	o.files["images"] = filesOf(t, "referenceImageIndices")
	o.files["videos"] = filesOf(t, "referenceVideoIndices")
	o.files["audios"] = filesOf(t, "referenceAudioIndices")
	for _, f := range slices.Concat(filesOf(t, "referenceFileUrl"), filesOf(t, "referenceLinkUrl")) {
		if slot := f.kind + "s"; slices.Contains(fileListSlots, slot) {
			o.files[slot] = append(o.files[slot], f)
		}
	}
	if t.ToolName == "video_to_video" { // the style to copy, not a frame
		o.files["images"], o.files["image"] = append(o.files["image"], o.files["images"]...), nil
	}
}

func first(list []file) []file { return list[:min(1, len(list))] }

// assignSlots moves files to the slots that an adapter has: a leading file may
// become a reference, and a single reference may lead the clip. A file without a
// slot is an error.
func (o *order) assignSlots(a *Adapter) error {
	for n, one := range []string{"image", "video", "audio"} {
		list := fileListSlots[n]
		if len(o.files[one]) > 0 && !a.used[one] && a.used[list] {
			o.files[list], o.files[one] = append(o.files[one], o.files[list]...), nil
		}
		if len(o.files[list]) == 1 && !a.used[list] && a.used[one] && len(o.files[one]) == 0 {
			o.files[one], o.files[list] = o.files[list], nil
		}
	}
	for _, slot := range slices.Concat(fileSlots, fileListSlots) {
		if n := len(o.files[slot]); n > 0 && !a.used[slot] {
			return worker.Failf("The vendor takes no %s here.", slotNames[slot])
		}
	}
	return nil
}

// slotNames are the slots for files, for messages.
var slotNames = map[string]string{
	"image": "image", "endImage": "image to end on", "video": "video", "audio": "audio", "mask": "mask",
	"images": "reference images", "videos": "reference videos", "audios": "reference audio",
}

// scope returns the values of the order for an adapter. failed is set when a file
// cannot be read, while slots are filled.
func (o *order) scope(a *Adapter, failed *error) scope {
	shown := map[string]any{}
	return func(slot string) (any, bool) {
		if v, ok := shown[slot]; ok {
			return v, true
		}
		if !slices.Contains(fileSlots, slot) && !slices.Contains(fileListSlots, slot) {
			v, ok := a.Slots[slot].change(o.values[slot])
			return v, ok
		}
		var list []any
		for _, f := range o.files[slot] {
			s, err := f.forVendor(a.Media)
			if err != nil && *failed == nil {
				*failed = err
			}
			list = append(list, s)
		}
		if len(list) == 0 {
			return nil, false
		}
		shown[slot] = list
		if slices.Contains(fileSlots, slot) {
			shown[slot] = list[0]
		}
		return shown[slot], true
	}
}

// change turns a value into what a vendor expects; false leaves it out.
func (r slotRule) change(v any) (any, bool) {
	if v == nil {
		v = r.Default
	}
	if r.Values != nil && v != nil {
		if other, ok := r.Values[formatValue(v)]; ok {
			v = other
		}
	}
	if f, ok := v.(float64); ok {
		switch r.Round {
		case "up":
			v = math.Ceil(f - 1e-9)
		case "down":
			v = math.Floor(f + 1e-9)
		case "nearest":
			v = math.Round(f)
		}
	}
	if r.Text && v != nil {
		v = formatValue(v)
	}
	return v, v != nil
}

// notForVendors are arguments that this service uses itself, or that have no
// effect.
var notForVendors = []string{
	"model", "videoModel", "numberOfVariations", "outputFormat", "prompts", "aspectRatio", "width", "height", "keepOriginalAudio", "startSeconds", "endSeconds",
	"frameRole", "returnLastFrame", "loras", "loraStrengths", "expandPrompt", "skipPromptProcessing", "watermark", "generateAudio",
}

// unused are the arguments that an adapter does not use.
func (o *order) unused(t worker.Task, a *Adapter) (names []string) {
	for name, v := range t.Arguments {
		if v != nil && v != "" && !a.used[name] && !slices.Contains(notForVendors, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
