package workflow

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// handle is how an argument addresses media: by a URL, by a position in the media
// of the request, or by a position in the results of the steps before. Positions
// count one kind of media, from 0.
type handle struct {
	by    addressing
	url   string
	index int
}

type addressing int

const (
	byURL addressing = iota
	byUpload
	byResult
)

// readHandle reads a handle as clients write it: a URL, or an index, where -1 is
// the first piece of the request's media, and 0 the first result.
func readHandle(v any) (handle, bool) {
	switch v := v.(type) {
	case string:
		return handle{by: byURL, url: v}, true
	case float64:
		index := int(min(max(v, math.MinInt32), math.MaxInt32))
		if index < 0 {
			return handle{by: byUpload, index: -index - 1}, true
		}
		return handle{by: byResult, index: index}, true
	}
	return handle{}, false
}

// anyKind is the kind of an argument that takes media of every kind.
const anyKind catalog.Kind = "any"

// MapMedia replaces each value that addresses media among the arguments of a tool
// by what replace makes of it. The arguments themselves are not changed. path is
// where the value is, such as sourceImageIndex or overlays[1].sourceImageIndex.
func MapMedia(tool *catalog.Tool, args map[string]any, replace func(path string, kind catalog.Kind, v any) (any, error)) (map[string]any, error) {
	cloned := false
	for _, a := range tool.MediaArguments() {
		v := args[a.Name]
		if v == nil {
			continue
		}
		if !cloned {
			args, cloned = maps.Clone(args), true
		}
		var err error
		if args[a.Name], err = mapArgument(a, v, replace); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// mapArgument maps an argument: one value, a list of them, or a list of objects
// with a field that addresses media.
func mapArgument(a *catalog.Argument, v any, replace func(path string, kind catalog.Kind, v any) (any, error)) (any, error) {
	list, isList := v.([]any)
	if !isList {
		return replace(a.Name, a.Media, v)
	}
	out := slices.Clone(list)
	for i, item := range list {
		var err error
		object, isObject := item.(map[string]any)
		if !isObject {
			if out[i], err = replace(a.Name, a.Media, item); err != nil {
				return nil, err
			}
			continue
		}
		f := mediaField(a)
		if f == nil || object[f.Name] == nil {
			continue
		}
		object = maps.Clone(object)
		if object[f.Name], err = replace(fmt.Sprintf("%s[%d].%s", a.Name, i, f.Name), f.Media, object[f.Name]); err != nil {
			return nil, err
		}
		out[i] = object
	}
	return out, nil
}

// mediaField is the field of a list of objects that addresses media, or nil.
func mediaField(a *catalog.Argument) *catalog.Argument {
	if a.Items != nil {
		for _, f := range a.Items.Fields {
			if f.Media != "" {
				return f
			}
		}
	}
	return nil
}

// attachReferences adds the references that a caller inside the service has put
// among the arguments of steps to the media of the plan, and replaces them by their
// indices. So a plan is checked, stored and shown as a client would write it.
func (d *draft) attachReferences() error {
	for i := range d.plan.Steps {
		s := &d.plan.Steps[i]
		tool, ok := d.catalog.Tool(s.ToolName)
		if !ok {
			continue // which is refused later
		}
		args, err := MapMedia(tool, s.Arguments, func(_ string, kind catalog.Kind, v any) (any, error) {
			m, ok := v.(atelier.MediaReference)
			if !ok {
				return v, nil
			}
			d.addMedia(m)
			if kind == anyKind {
				kind = ""
			}
			return float64(-d.uploads(kind)), nil
		})
		if err != nil {
			return err
		}
		s.Arguments = args
	}
	return nil
}

// addMedia adds a piece to the media of the plan.
func (d *draft) addMedia(m atelier.MediaReference) {
	at := len(d.plan.Media)
	d.plan.Media = append(d.plan.Media, mediaDocument(m))
	d.plan.Files = append(d.plan.Files, file{Kind: m.Kind, URL: m.URL, field: fmt.Sprintf("media_references[%d].url", at)})
	d.plan.Uploaded.Add(catalog.Kind(m.Kind), 1)
}
