package template

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/schema"
)

// medium is the file of an input: an entry of the workflow's media.
type medium struct {
	kind  string
	url   string
	place int // among the media
}

// valueReader reads the values of inputs. A value is never interpreted: one that
// looks like a binding is plain text.
type valueReader struct {
	at     string
	code   string // of the issue for a value of the wrong type
	issues *issues
	bounds *schema.Schema // of the input that is read; nil when it has none

	// Set only where values are used, not only checked.
	ctx   context.Context
	asset func(ctx context.Context, id string) (url, kind string, err error)
	add   func(kind, url, input string) medium
	err   error // a failure that is not the caller's mistake
}

func (v *valueReader) wrong(format string, args ...any) any {
	v.issues.fail(v.code, v.at, format, args...)
	return nil
}

// value reads the value of an input: one, or a list of them. It is nil when
// no value, or no usable one, is given.
func (v *valueReader) value(in atelier.TemplateInput, given any) any {
	v.bounds = compileBounds(in.Schema)
	if in.Multiple == nil {
		return v.checkOne(in, given)
	}
	list, ok := given.([]any)
	if !ok {
		list = []any{given}
	}
	switch {
	case len(list) < in.Multiple.Min:
		v.issues.fail(v.orCode("too_few_values"), v.at, "must have at least %d values, not %d.", in.Multiple.Min, len(list))
		return nil
	case len(list) > in.Multiple.Max:
		v.issues.fail(v.orCode("too_many_values"), v.at, "must have at most %d values, not %d.", in.Multiple.Max, len(list))
		return nil
	}
	var out []any
	at := v.at
	for i, item := range list {
		v.at = index(at, i)
		if item == nil || item == "" {
			v.wrong("must not be empty.")
			continue
		}
		out = append(out, v.checkOne(in, item))
	}
	v.at = at
	if out == nil {
		return nil
	}
	return out
}

// orCode returns a more specific code, unless all mistakes have the same one.
func (v *valueReader) orCode(code string) string {
	if v.code == "invalid_default" {
		return v.code
	}
	return code
}

func (v *valueReader) checkOne(in atelier.TemplateInput, given any) any {
	switch in.Type {
	case atelier.InputNumber:
		if _, ok := given.(float64); !ok {
			return v.wrong("must be a number.")
		}
	case atelier.InputBoolean:
		if _, ok := given.(bool); !ok {
			return v.wrong("must be true or false.")
		}
	case atelier.InputText:
		s, ok := given.(string)
		if !ok {
			return v.wrong("must be a string.")
		}
		if utf8.RuneCountInString(s) > maxText {
			return v.wrong("must be at most %d characters long.", maxText)
		}
	case atelier.InputImage, atelier.InputVideo, atelier.InputAudio:
		return v.medium(in, given)
	}
	if in.Options != nil && !slices.ContainsFunc(in.Options, func(o atelier.InputOption) bool { return o.Value == given }) {
		v.issues.fail(v.orCode("option_not_allowed"), v.at, "must be one of %s.", choices(in.Options))
		return nil
	}
	if why := violation(v.bounds, given); why != "" {
		return v.wrong("%s", why)
	}
	return given
}

// medium reads a file: its URL, {url}, or {assetId} of a saved upload.
func (v *valueReader) medium(in atelier.TemplateInput, given any) any {
	object, _ := given.(map[string]any)
	where, isText := given.(string)
	if url, ok := object["url"].(string); ok {
		where, isText = url, true
	}
	id, _ := object["assetId"].(string)
	kind := string(in.Type)
	switch {
	case isText && !isWeb(where):
		return v.wrong("must be an http or https URL of at most %d characters, or {\"assetId\": …} of a saved upload.", maxURL)
	case isText:
	case id == "":
		return v.wrong("must be an http or https URL, or {\"assetId\": …} of a saved upload.")
	case v.add == nil: // only checked
		return nil
	case v.asset == nil:
		v.issues.fail("asset_unavailable", v.at, "names a saved upload, which is not allowed here: send a URL.")
		return nil
	default:
		var err error
		if where, kind, err = v.asset(v.ctx, id); err != nil {
			return v.assetFailed(err)
		}
		if kind != string(in.Type) {
			return v.wrong("is a saved upload of the kind %s, but must be of the kind %s.", kind, in.Type)
		}
	}
	if v.add == nil {
		return nil
	}
	return v.add(kind, where, in.Name)
}

// assetFailed distinguishes an asset that does not exist from a failure of the service.
func (v *valueReader) assetFailed(err error) any {
	var refused *atelier.Error
	if !errors.As(err, &refused) {
		v.err = err
		return nil
	}
	v.issues.fail("asset_unavailable", v.at, "names a saved upload that cannot be used: %s", refused.Message)
	return nil
}

func choices(options []atelier.InputOption) string {
	var out []string
	for _, o := range options {
		out = append(out, shorten(formatValue(o.Value), 40))
	}
	if len(out) > 20 {
		out = append(out[:20], "…")
	}
	return strings.Join(out, ", ")
}

// formatValue writes a value into a longer text.
func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case medium:
		return v.url
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, formatValue(e))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}
