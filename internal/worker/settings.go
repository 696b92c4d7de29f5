package worker

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/mediameta"
)

// embedSettings returns the path of an output to deliver. A picture, a clip or a recording has in
// it what it was made with, or, if the service does not want that, nothing of what the renderer
// wrote about it. A file that cannot be read, or whose settings are too large, is delivered as it is.
func (w *Worker) embedSettings(job apitype.Assignment, o Output) string {
	if !slices.Contains([]string{"image", "video", "audio"}, filetype.Kind(filetype.DetectFile(o.Path))) {
		return o.Path
	}
	var settings *mediameta.Settings
	if job.EmbedSettings {
		settings = settingsOf(job, o)
		settings.Preview = w.Spec.Fallback && settings.Model != ""
	}
	path := o.Path + ".delivered"
	err := rewrite(o.Path, path, settings)
	if errors.Is(err, mediameta.ErrTooLarge) {
		err = rewrite(o.Path, path, nil)
	}
	if err != nil {
		w.Log.Debug("embed settings failed", "job", job.JobID, "error", err)
		os.Remove(path) // a part of a clip takes space
		return o.Path
	}
	return path
}

func rewrite(from, to string, s *mediameta.Settings) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if s != nil && s.Arguments["steps"] == nil {
		// No tool takes the number of steps: the renderer chose it, and may have written it into the file.
		if chosen, err := mediameta.Read(in, info.Size()); err == nil && chosen.Arguments["steps"] != nil {
			s.Arguments["steps"] = chosen.Arguments["steps"]
		}
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(mediameta.Write(out, in, info.Size(), s), out.Close())
}

// notEmbedded are arguments that say nothing about one file, or that are of use to one account
// only: personas are kept by name.
var notEmbedded = []string{"model", "seed", "loras", "loraStrengths", "numberOfVariations", "manifest", "personaName", "voicePersonaName"}

// settingsOf is what an output was made with, without what is private to the account: addresses
// of files, and its personal LoRAs.
func settingsOf(job apitype.Assignment, o Output) *mediameta.Settings {
	s := &mediameta.Settings{Tool: job.ToolName, Model: job.ModelID, Seed: &o.Seed, Width: o.Width, Height: o.Height, Arguments: map[string]any{}}
	if s.Model == s.Tool {
		s.Model = "" // a tool without models
	}
	for name, value := range job.Arguments {
		isInput := slices.ContainsFunc(job.Inputs, func(in apitype.AssignmentInput) bool { return in.Argument == name })
		if isInput || slices.Contains(notEmbedded, name) || isPrivate(value) {
			continue
		}
		if text, ok := value.(string); ok {
			value = address.ReplaceAllStringFunc(text, withoutQuery)
		}
		s.Arguments[name] = value
	}
	for _, l := range job.Loras {
		if !atelier.IsPersonalLora(l.ID) {
			s.Loras = append(s.Loras, mediameta.Lora{ID: l.ID, Strength: l.Strength})
		}
	}
	return s
}

// isPrivate reports whether a value is, or has in it, the address of a file.
func isPrivate(value any) bool {
	switch v := value.(type) {
	case string:
		_, isAddress := cutScheme(v)
		return isAddress && !strings.ContainsAny(v, " \n\t")
	case []any:
		return slices.ContainsFunc(v, isPrivate)
	case map[string]any:
		for _, member := range v {
			if isPrivate(member) {
				return true
			}
		}
	}
	return false
}

func cutScheme(text string) (string, bool) {
	for _, scheme := range []string{"http://", "https://", "data:", "blob:", "artifact:"} {
		if rest, ok := strings.CutPrefix(text, scheme); ok {
			return rest, true
		}
	}
	return text, false
}

// address is an address in a text.
var address = regexp.MustCompile(`https?://[^\s"'<>]+`)

// withoutQuery is an address without what may give access: a signature, or a password.
func withoutQuery(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	host, path, hasPath := strings.Cut(rest, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	if hasPath {
		host += "/" + path
	}
	return scheme + "://" + host
}
