package comfyui

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/tonality"
)

// value returns the value of a slot for one artifact of a job. given is the name of
// the argument it comes from, if any.
func (s slot) value(name string, args map[string]any, artifact int) (v any, given string, err error) {
	if list, ok := args[s.Each].([]any); ok && s.Each != "" && len(list) > 0 {
		if len(list) == 1 {
			artifact = 0
		}
		if artifact >= len(list) {
			return nil, "", fmt.Errorf("the argument %s has %d entries, which is fewer than the artifacts", s.Each, len(list))
		}
		v, given = list[artifact], s.Each
	}
	if given == "" {
		for _, from := range orName(s.From, name) {
			if a, ok := args[from]; ok && a != nil && a != "" {
				v, given = a, from
				break
			}
		}
	}
	switch {
	case given != "":
	case s.Default != nil:
		v = s.Default
	case s.Required:
		return nil, "", fmt.Errorf("the argument %s is missing", orName(s.From, name)[0])
	default:
		return nil, "", nil
	}
	if v, err = s.change(v); err == nil && s.Count != "" {
		v, err = countEach(formatValue(v), args[s.Count])
	}
	if err != nil {
		return nil, "", fmt.Errorf("the argument %s %w", orName(s.From, name)[0], err)
	}
	return v, given, nil
}

// allObjects is as many objects as SAM 3 can find.
const allObjects = 200

var counted = regexp.MustCompile(`^(.*\S)\s*:\s*(\d+)$`)

// countEach writes after each phrase of a text how many objects of its kind are found,
// as SAM 3 reads it in ComfyUI: phrases are divided by commas, and one without a number
// finds a single object. Of a limit for all, each phrase gets a part.
func countEach(text string, limit any) (string, error) {
	var phrases []string
	for phrase := range strings.SplitSeq(text, ",") {
		if phrase = strings.TrimSpace(phrase); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	most, isLimited := limit.(float64)
	switch {
	case len(phrases) == 0:
		return "", errors.New("names nothing")
	case isLimited && int(most) < len(phrases):
		return "", fmt.Errorf("names %d things, which is more than the %d that may be found", len(phrases), int(most))
	}
	for i, phrase := range phrases {
		n := allObjects
		if isLimited {
			n = int(most) / len(phrases)
			if i < int(most)%len(phrases) {
				n++
			}
		}
		if m := counted.FindStringSubmatch(phrase); m != nil {
			if own, err := strconv.Atoi(m[2]); err == nil {
				phrase, n = m[1], max(1, min(n, own))
			}
		}
		phrases[i] = fmt.Sprintf("%s:%d", phrase, n)
	}
	return strings.Join(phrases, ", "), nil
}

// formatKey is the format of a musical key.
const formatKey = "key"

// spell writes the values of slots with a format as a ComfyUI lists them. Nodes that take any
// text get what the job has.
func (o *order) spell(values map[target]any, b *binding) error {
	for _, name := range slices.Sorted(maps.Keys(o.mapping.Slots)) {
		s := o.mapping.Slots[name]
		for _, t := range s.To {
			v, given := values[t].(string)
			options := b.options[t]
			if !given || s.Format != formatKey || len(options) == 0 || slices.Contains(options, v) {
				continue
			}
			found, ok := tonality.Find(options, v)
			if !ok {
				return fmt.Errorf("the argument %s cannot be %s here; it can be %s", orName(s.From, name)[0], v, listed(options))
			}
			values[t] = found
		}
	}
	return nil
}

// change turns an argument into what the graph expects.
func (s slot) change(v any) (any, error) {
	if s.Values != nil {
		other, ok := s.Values[formatValue(v)]
		if !ok {
			return nil, fmt.Errorf("cannot be %s here", formatValue(v))
		}
		v = other
	}
	f, isNumber := v.(float64)
	if !isNumber {
		if s.Frames != nil || s.Times != nil || s.Round != 0 || s.Plus != 0 || s.Min != nil || s.Max != nil {
			return nil, fmt.Errorf("must be a number, not %s", formatValue(v))
		}
		return v, nil
	}
	if s.Frames != nil {
		return float64(s.Frames.of(f)), nil
	}
	if s.Times != nil {
		f *= *s.Times
	}
	f += s.Plus
	if s.Round > 0 {
		f = math.Round(f/s.Round) * s.Round
	}
	if s.Min != nil {
		f = max(f, *s.Min)
	}
	if s.Max != nil {
		f = min(f, *s.Max)
	}
	return f, nil
}

// of is the number of frames on the grid that is nearest to a length in
// seconds, and at least its first.
func (f *frames) of(seconds float64) int {
	step := max(1, f.Step)
	n := int(math.Round((math.Min(seconds, 1e6)*f.FPS - float64(f.Base)) / float64(step)))
	frames := f.Base + max(0, n)*step
	if f.Max > 0 && frames > f.Max {
		frames = f.Base + (f.Max-f.Base)/step*step
	}
	return max(1, frames)
}

// fits converts a value to the type of the graph's own value: nodes require text
// where the graph has text, and would read "false" as true.
func fits(old, v any) (any, error) {
	switch old.(type) {
	case string:
		switch v.(type) {
		case string, float64, bool:
			return formatValue(v), nil
		}
		return nil, fmt.Errorf("must be text, not %s", formatValue(v))
	case bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("must be true or false, not %s", formatValue(v))
	case json.Number:
		if _, ok := v.(float64); ok {
			return v, nil
		}
		return nil, fmt.Errorf("must be a number, not %s", formatValue(v))
	}
	return v, nil
}

// formatValue formats a value for messages.
func formatValue(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case nil:
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(string(text))
}
