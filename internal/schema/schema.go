// Package schema checks JSON values against JSON Schemas of draft 2020-12 and
// lists what is wrong by path, for callers that put it into their own words.
//
//atelier:sequential
package schema

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// Compile reads a schema that was decoded from JSON. It must refer to no other
// document.
func Compile(document any) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	const url = "atelier:///schema"
	if err := c.AddResource(url, document); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(url)
	return &Schema{compiled}, err
}

// noLoader keeps schemas from reading files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("schema: refers to %s", url) }

// Fault is one thing that is wrong with a value.
type Fault struct {
	Path    []string // names and indexes from the value down to what is wrong, or missing, or unknown
	Keyword string   // that is broken: type, required, minimum, …
	Limit   float64  // of a minimum, maxLength and the like
	Got     int      // the length of a text, or the number of items
	Want    string   // the types or values that are allowed, in words
}

// Field is the path of a fault as people write it, such as scenes[0].seconds.
func (f Fault) Field() string {
	var b strings.Builder
	for _, part := range f.Path {
		switch {
		case IsIndex(part):
			b.WriteString("[" + part + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}

// IsIndex reports whether a part of a path is the number of an item.
func IsIndex(part string) bool {
	_, err := strconv.Atoi(part)
	return err == nil
}

// Check lists what is wrong with a value that was decoded from JSON, sorted by
// path.
func (s *Schema) Check(value any) ([]Fault, error) {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	faults := collect(invalid, nil)
	slices.SortStableFunc(faults, func(a, b Fault) int { return slices.Compare(a.Path, b.Path) })
	return faults, nil
}

// collect appends the errors that have no causes of their own.
func collect(e *jsonschema.ValidationError, faults []Fault) []Fault {
	for _, cause := range e.Causes {
		faults = collect(cause, faults)
	}
	if len(e.Causes) > 0 {
		return faults
	}
	f := Fault{Path: e.InstanceLocation}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		f.Keyword = path[len(path)-1]
	}
	named := func(names []string) []Fault {
		for _, name := range names {
			faults = append(faults, Fault{Path: append(slices.Clip(f.Path), name), Keyword: f.Keyword})
		}
		return faults
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return named(k.Missing)
	case *kind.AdditionalProperties:
		return named(k.Properties)
	case *kind.Type:
		f.Want = strings.Join(k.Want, " or ")
	case *kind.Enum:
		f.Want = list(k.Want)
	case *kind.MinLength:
		f.Limit, f.Got = float64(k.Want), k.Got
	case *kind.MaxLength:
		f.Limit, f.Got = float64(k.Want), k.Got
	case *kind.MinItems:
		f.Limit, f.Got = float64(k.Want), k.Got
	case *kind.MaxItems:
		f.Limit, f.Got = float64(k.Want), k.Got
	case *kind.Minimum:
		f.Limit = float(k.Want)
	case *kind.Maximum:
		f.Limit = float(k.Want)
	case *kind.ExclusiveMinimum:
		f.Limit = float(k.Want)
	case *kind.ExclusiveMaximum:
		f.Limit = float(k.Want)
	}
	return append(faults, f)
}

func list(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

func float(r *big.Rat) float64 { f, _ := r.Float64(); return f }
