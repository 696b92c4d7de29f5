package replay

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Fields are the members of a record as a client sends them.
type Fields map[string]wire.Raw

// WireSchema describes the known members.
func (Fields) WireSchema() wire.Schema {
	s := recordShape.schema()
	s["required"] = []string{"run_id"}
	return s
}

// Record is a stored record.
type Record struct{ wire.Raw }

// WireSchema describes the known members.
func (Record) WireSchema() wire.Schema { return Fields{}.WireSchema() }

// shape is what is known about a value of a record. JSON null is allowed everywhere.
type shape struct {
	kind    byte // of the JSON: '{', '[', '"', '0' for a number, 't' for a boolean; 0 for any
	members map[string]*shape
	items   *shape
}

var (
	anything = &shape{}
	text     = &shape{kind: '"'}
	number   = &shape{kind: '0'}
	flag     = &shape{kind: 't'}
)

func object(members map[string]*shape) *shape { return &shape{kind: '{', members: members} }
func array(items *shape) *shape               { return &shape{kind: '[', items: items} }

// recordShape is the known part of a record.
var recordShape = object(map[string]*shape{
	"run_id": text, "session_id": text, "account_id": text, "model_id": text,
	"schemaVersion": number, "schema_version": number, "startedAt": number, "endedAt": number, "redacted": flag,
	"user_request": text, "final_response": text, "runtime_config": object(nil),
	"tool_schemas": array(anything), "audit_results": array(anything), "job_ids": array(text), "asset_ids": array(text),
	"rounds": array(object(map[string]*shape{
		"round": number, "assistant_message": anything,
		"tool_calls": array(object(map[string]*shape{
			"name": text, "arguments": anything, "id": text, "cost_class": anything, "risk_level": anything,
		})),
		"tool_results": array(object(map[string]*shape{"ok": flag, "error_type": text, "payload": anything})),
	})),
	"total_cost": object(map[string]*shape{"totalUsd": number, "totalSpark": number, "totalRenderSeconds": number, "byTool": object(nil)}),
	"outcome":    object(map[string]*shape{"status": text, "error_code": anything, "error_message": text, "llm_calls": array(anything)}),
})

// kinds are the names of kinds of JSON values: in refusals, and in schemas.
var kinds = map[byte]struct{ refusal, schema string }{
	'{': {"must be an object.", "object"},
	'[': {"must be an array.", "array"},
	'"': {"must be a string.", "string"},
	'0': {"must be a number.", "number"},
	't': {"must be true or false.", "boolean"},
}

func (s *shape) schema() wire.Schema {
	out := wire.Schema{}
	if s.kind != 0 {
		out["type"] = []string{kinds[s.kind].schema, "null"}
	}
	if s.items != nil {
		out["items"] = s.items.schema()
	}
	if s.members != nil {
		properties := wire.Schema{}
		for name, member := range s.members {
			properties[name] = member.schema()
		}
		out["properties"] = properties
	}
	return out
}

// defaultSchemaVersion is the version of a record that names none.
const defaultSchemaVersion = 2

// prepare checks and redacts a record, and makes the document that is stored and its summary.
func (f Fields) prepare() (wire.Raw, Summary, error) {
	if given := f["redacted"]; given != nil && given.Kind() != 't' && given.Kind() != 'f' && given.Kind() != 'n' {
		return nil, Summary{}, atelier.Refuse("redacted", "%s", kinds['t'].refusal)
	}
	f["redacted"] = wire.Raw("true")
	if f["schemaVersion"] == nil && f["schema_version"] == nil {
		f["schemaVersion"] = wire.Raw(strconv.Itoa(defaultSchemaVersion))
	}
	version, err := f.schemaVersion()
	if err != nil {
		return nil, Summary{}, err
	}
	given, err := wire.Marshal(map[string]wire.Raw(f))
	if err != nil {
		return nil, Summary{}, err
	}
	c := copier{summary: Summary{SchemaVersion: version}}
	record, err := c.copy(given, false)
	if err == nil && c.hasNewNames {
		record, err = c.copy(record, true)
	}
	for _, text := range []*string{&c.summary.UserRequest, &c.summary.FinalResponse, &c.summary.ModelID} {
		*text = excerpt(*text)
	}
	return record, c.summary, err
}

// maxExcerpt is how many bytes of a text a summary shows.
const maxExcerpt = 4 << 10

// excerpt is the beginning of a text that is too long for a summary.
func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	return strings.ToValidUTF8(s[:maxExcerpt], "") + "…"
}

// schemaVersion is the version of a record, by either of its names.
func (f Fields) schemaVersion() (int64, error) {
	for _, name := range []string{"schemaVersion", "schema_version"} {
		raw := f[name]
		if raw == nil || raw.Kind() == 'n' {
			continue
		}
		var version float64
		if err := wire.Unmarshal(raw, &version); err != nil || version != math.Trunc(version) || math.Abs(version) > 1<<53 {
			return 0, atelier.Refuse(name, "must be a whole number.")
		}
		return int64(version), nil
	}
	return defaultSchemaVersion, nil
}

// copier copies a record value by value: it checks their shapes, redacts strings and names,
// and collects what the summary shows.
type copier struct {
	from    *wire.Decoder
	to      *wire.Encoder
	quoted  []byte // the last string
	renamed int    // how many names were made different from others
	summary Summary

	hasNewNames bool // a name was redacted, so an object may hold a name twice
}

func (c *copier) copy(record wire.Raw, unique bool) (wire.Raw, error) {
	var out bytes.Buffer
	out.Grow(len(record) + 1)
	c.from, c.to = wire.NewDecoder(bytes.NewBuffer(record)), wire.NewEncoder(&out, unique)
	err := c.value(recordShape, nil)
	return bytes.TrimSpace(out.Bytes()), err
}

// place is where a value is in the record.
type place struct {
	parent *place
	name   string // of a member; empty for an item
	index  int
}

// field is the path of a place as people write it, such as rounds[0].tool_calls.
func (p *place) field() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.parent.field() + "[" + strconv.Itoa(p.index) + "]"
	case p.parent == nil:
		return p.name
	}
	return p.parent.field() + "." + p.name
}

// isTop reports whether a place is a member of the record itself.
func (p *place) isTop(name string) bool { return p != nil && p.parent == nil && p.name == name }

// value copies the next value.
func (c *copier) value(s *shape, at *place) error {
	kind := byte(c.from.PeekKind())
	if kind == 'f' {
		kind = 't'
	}
	if s.kind != 0 && kind != s.kind && kind != 'n' {
		return atelier.Refuse(at.field(), "%s", kinds[s.kind].refusal)
	}
	if at.isSecret(kind) {
		if err := c.from.SkipValue(); err != nil {
			return err
		}
		return c.string(mark)
	}
	switch kind {
	case '{':
		return c.object(s, at)
	case '[':
		return c.array(s, at)
	case '"':
		token, err := c.from.ReadToken()
		if err != nil {
			return err
		}
		redacted := redactText(token.String())
		switch {
		case at.isTop("user_request"):
			c.summary.UserRequest = redacted
		case at.isTop("final_response"):
			c.summary.FinalResponse = redacted
		case at.isTop("model_id"):
			c.summary.ModelID = redacted
		}
		return c.string(redacted)
	}
	return c.token()
}

// isSecret reports whether a value is a credential by its name. A flag is not, and neither is
// the declaration of such a field in a JSON Schema.
func (p *place) isSecret(kind byte) bool {
	if p == nil || kind == 'n' || kind == 't' || !isSecretName(p.name) {
		return false
	}
	isDeclared := kind == '{' && p.parent != nil && p.parent.name == "properties"
	return !isDeclared
}

func (c *copier) object(s *shape, at *place) error {
	if err := c.token(); err != nil {
		return err
	}
	for c.from.PeekKind() != '}' {
		token, err := c.from.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		redacted := redactText(name)
		if err := c.name(redacted); err != nil {
			return err
		}
		c.hasNewNames = c.hasNewNames || redacted != name
		member := s.members[name]
		if member == nil {
			member = anything
		}
		if err := c.value(member, &place{parent: at, name: name}); err != nil {
			return err
		}
	}
	return c.token()
}

func (c *copier) array(s *shape, at *place) error {
	if err := c.token(); err != nil {
		return err
	}
	items := s.items
	if items == nil {
		items = anything
	}
	many := 0
	for ; c.from.PeekKind() != ']'; many++ {
		if err := c.value(items, &place{parent: at, index: many}); err != nil {
			return err
		}
	}
	if at.isTop("rounds") {
		c.summary.Rounds = many
	}
	return c.token()
}

// token copies a token that is no string.
func (c *copier) token() error {
	token, err := c.from.ReadToken()
	if err != nil {
		return err
	}
	return c.to.WriteToken(token)
}

func (c *copier) string(s string) error {
	c.quoted = wire.AppendString(c.quoted[:0], s)
	return c.to.WriteValue(c.quoted)
}

// name writes the name of a member. Names that differed only in what was redacted get
// numbers, because an object cannot hold a name twice.
func (c *copier) name(name string) error {
	err := c.string(name)
	for errors.Is(err, wire.ErrDuplicateName) {
		c.renamed++
		err = c.string(name + " " + strconv.Itoa(c.renamed+1))
	}
	return err
}
