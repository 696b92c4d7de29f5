package api

import (
	"maps"
	"reflect"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// OpenAPI is the OpenAPI document of any service: without the tools, which are those of its
// catalog.
func OpenAPI() []byte {
	s := &Server{}
	return endpoint.Describe(endpoint.Config{Failures: failures, Reference: s.reference}, s.table())
}

// reference is what the OpenAPI document adds to the route table.
func (s *Server) reference() endpoint.Reference {
	r := endpoint.Reference{
		Schemas: maps.Clone(template.WireSchemas), Sections: sections, Files: fileExamples,
		Unions: map[reflect.Type]wire.Union{
			reflect.TypeFor[apitype.WorkflowEvent](): eventUnion(apitype.WorkflowEventKinds, "payload", "data"),
			reflect.TypeFor[apitype.RunEvent]():      eventUnion(apitype.RunEventKinds, "payload"),
		},
	}
	if s.catalog != nil {
		s.describeTools(&r)
	}
	return r
}

// describeTools adds a schema for the arguments of each tool, and one for a step with it.
func (s *Server) describeTools(r *endpoint.Reference) {
	steps := wire.Union{Name: "StepRequest", Tag: "toolName", Members: []string{"arguments"}}
	var immediate []any
	r.Definitions = map[string]wire.Schema{}
	for _, t := range s.catalog.Tools() {
		name := ""
		for word := range strings.SplitSeq(t.Name, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		r.Definitions[name+"Arguments"] = t.ReferenceSchema()
		arguments := wire.Schema{"$ref": endpoint.SchemaPrefix + name + "Arguments"}
		if t.Synchronous() {
			immediate = append(immediate, arguments)
			continue
		}
		steps.Variants = append(steps.Variants, wire.Variant{Value: t.Name, Name: name + "Step", Doc: t.Description, Schema: arguments})
	}
	r.Requests = map[reflect.Type]wire.Union{reflect.TypeFor[atelier.StepInput](): steps}
	r.Schemas[reflect.TypeFor[executeArguments]()] = wire.Schema{"anyOf": immediate}
}

// The data of the events of streams.
var (
	workflowFrames = []reflect.Type{reflect.TypeFor[apitype.WorkflowEvent](), reflect.TypeFor[apitype.WorkflowStatus]()}
	runFrames      = []reflect.Type{reflect.TypeFor[apitype.RunEvent](), reflect.TypeFor[apitype.RunStatus](), reflect.TypeFor[apitype.RunText](), reflect.TypeFor[apitype.EventsTrimmed]()}
	accountFrames  = func() (list []reflect.Type) {
		for _, k := range apitype.AccountEventKinds {
			list = append(list, reflect.TypeOf(k.Payload))
		}
		return list
	}()
)

func eventUnion(kinds []apitype.EventKind, members ...string) wire.Union {
	u := wire.Union{Tag: "type", Members: members}
	for _, k := range kinds {
		payload := reflect.TypeOf(k.Payload)
		u.Variants = append(u.Variants, wire.Variant{Value: string(k.Type), Name: payload.Name() + "Event", Type: payload, Doc: k.Doc})
	}
	return u
}
