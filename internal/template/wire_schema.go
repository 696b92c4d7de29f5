package template

import (
	"reflect"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// WireSchemas are the schemas of the types of templates that write their own JSON,
// for the OpenAPI document.
var WireSchemas = map[reflect.Type]wire.Schema{
	reflect.TypeFor[atelier.Verbatim](): {},
	reflect.TypeFor[atelier.TemplateAuthor](): {"anyOf": []any{
		wire.Schema{"const": atelier.SystemAuthor},
		wire.Schema{
			"type": "object", "required": []string{"userId", "displayName"},
			"properties": wire.Schema{"userId": textSchema, "displayName": textSchema},
		},
	}},
	reflect.TypeFor[atelier.TemplateInput](): {
		"type": "object", "required": []string{"name", "type"},
		"properties": wire.Schema{
			"name": textSchema, "type": wire.Schema{"type": "string", "enum": atelier.InputType("").Values()}, "required": flagSchema, "description": textSchema,
			"default": wire.Schema{}, "options": wire.Schema{"type": "array", "items": wire.Schema{}}, "multiple": wire.Schema{}, "internal": flagSchema,
			"jsonSchema": wire.Schema{"type": "object"},
		},
	},
	reflect.TypeFor[atelier.Stage](): {
		"type": "object", "required": []string{"id"},
		"properties": wire.Schema{
			"id": textSchema, "type": wire.Schema{"type": "string", "enum": []string{"fixed", "batch"}},
			"tool": textSchema, "args": wire.Schema{"type": "object"},
		},
	},
}

var textSchema, flagSchema = wire.Schema{"type": "string"}, wire.Schema{"type": "boolean"}
