package responses

import (
	"fmt"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// Body is the body of POST /v1/responses. Fields that are not declared are ignored.
type Body struct {
	Settings
	Model        string   `wire:"model,maxlen=200" doc:"An id of GET /v1/models. A default applies when omitted."`
	Input        wire.Raw `wire:"input,required,maxbytes=67108864" doc:"A text, or a list of items: messages, calls and their outputs."`
	Stream       bool     `wire:"stream" doc:"Whether the response comes as server-sent events."`
	Conversation wire.Raw `wire:"conversation,maxbytes=4096" doc:"Not supported: use previous_response_id."`
	Prompt       wire.Raw `wire:"prompt,maxbytes=65536" doc:"Not supported: prompts are not stored here."`
}

// Settings are the fields of a request that its response repeats.
type Settings struct {
	Background   bool              `wire:"background" json:"background" doc:"Whether the request is answered at once, and the response read when it is made."`
	Instructions *string           `wire:"instructions,maxlen=4194304" json:"instructions" doc:"What the model is told first. It is not kept for the next response."`
	MaxTokens    *int              `wire:"max_output_tokens,min=1" json:"max_output_tokens" doc:"The longest answer of a round; reduced to what the context has left."`
	Metadata     map[string]string `wire:"metadata,maxlen=16" json:"metadata" doc:"Up to 16 texts by name: names of 64, texts of 512 characters."`
	Parallel     bool              `wire:"parallel_tool_calls,default=true" json:"parallel_tool_calls" doc:"Passed on."`
	Previous     *string           `wire:"previous_response_id,maxlen=200" json:"previous_response_id" doc:"The response whose conversation continues."`
	Reasoning    Reasoning         `wire:"reasoning,names=lenient" json:"reasoning"`
	Store        bool              `wire:"store,default=true" json:"store" doc:"Whether the response can be read later."`
	Temperature  *float64          `wire:"temperature,min=0,max=2" json:"temperature" doc:"Passed on."`
	Text         Text              `wire:"text,names=lenient" json:"text"`
	ToolChoice   wire.Raw          `wire:"tool_choice,maxbytes=4096" json:"tool_choice" doc:"auto, none, required, or a tool."`
	Tools        wire.Raw          `wire:"tools,maxbytes=1048576" json:"tools" doc:"Functions of the caller; image_generation; mcp with the server_label atelier, for all tools of the service."`
	TopP         *float64          `wire:"top_p,min=0,max=1" json:"top_p" doc:"Passed on."`
	Truncation   string            `wire:"truncation,enum=auto|disabled,default=disabled" json:"truncation" doc:"auto leaves out the oldest turns of a conversation that is too long."`
	User         *string           `wire:"user,maxlen=200" json:"user" doc:"Recorded."`
}

// Reasoning says whether the model may think before it answers. What it thinks is not shown.
type Reasoning struct {
	Effort  *string `wire:"effort,enum=none|minimal|low|medium|high|xhigh" json:"effort" doc:"none and minimal turn thinking off."`
	Summary *string `wire:"summary,maxlen=20" json:"summary" doc:"Recorded."`
}

// Text says what the text of a response looks like.
type Text struct {
	Format    wire.Raw `wire:"format,maxbytes=65536" json:"format" doc:"text, json_object or json_schema. Passed on."`
	Verbosity *string  `wire:"verbosity,enum=low|medium|high" json:"verbosity,omitzero" doc:"Passed on."`
}

// BodyBounds bounds the body, with the pictures in it.
var BodyBounds = wire.Bounds{Text: 64 << 20}

// The bounds of a request.
const (
	maxItems    = 4096
	maxParts    = 1024    // of one message
	maxText     = 4 << 20 // bytes of everything but pictures
	maxTools    = 256
	maxName     = 64 // characters of a name in metadata
	maxMetadata = 512
	maxEarlier  = 64 // responses that items refer to
)

// Note is what a run keeps about the response that it makes.
type Note struct {
	Settings
	Pictures []string `json:"pictures,omitzero"` // hosted tools whose results are pictures in the response
	Hosted   bool     `json:"hosted,omitzero"`   // all tools of the service are offered
	Partial  int      `json:"partial,omitzero"`  // previews of a picture that the stream shows
}

// Request is what a body asks for.
type Request struct {
	Chat chat.Request
	Note Note
}

// UsesHostedTools reports whether tools of the service are offered to the model.
func (r *Request) UsesHostedTools() bool { return r.Note.Hosted || len(r.Note.Pictures) > 0 }

// Sources read what a body refers to by its id.
type Sources struct {
	Earlier func(id string) (*Stored, error)   // a stored response
	Image   func(id string) (llm.Image, error) // a saved picture
}

// Request reads the body. It empties it, so that its bytes can be collected while the request is answered.
func (b *Body) Request(caller atelier.Caller, terms atelier.PaymentTerms, c *catalog.Catalog, from Sources) (*Request, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	r := &Request{Note: Note{Settings: b.Settings}}
	r.Chat = chat.Request{
		ID: responsePrefix + mint.UUID(), Caller: caller, Model: b.Model, Stream: b.Stream, Terms: terms, Profile: chat.General, Filter: true,
		Thinking: b.Reasoning.thinks(), Trim: b.Truncation == "auto",
	}
	if b.MaxTokens != nil {
		r.Chat.MaxTokens = *b.MaxTokens
	}
	conversation := &conversation{from: from, read: map[string][]any{}, shown: map[string]llm.Image{}}
	if err := conversation.readBody(b, &r.Chat); err != nil {
		return nil, err
	}
	r.Chat.Messages = conversation.messages
	if err := r.readTools(b.Tools, c); err != nil {
		return nil, err
	}
	if err := r.readToolChoice(b.ToolChoice); err != nil {
		return nil, err
	}
	var err error
	if r.Chat.Params, err = b.params(); err != nil {
		return nil, err
	}
	r.Note.keep()
	*b = Body{}
	return r, nil
}

// check refuses what no other rule of the body refuses.
func (b *Body) check() error {
	switch {
	case !isAbsent(b.Conversation):
		return atelier.Refuse("conversation", "is not supported: send previous_response_id.")
	case !isAbsent(b.Prompt):
		return atelier.Refuse("prompt", "is not supported: send instructions and input.")
	case b.Background && !b.Store:
		return atelier.Refuse("store", "must be true with background: a response that is not stored cannot be read later.")
	}
	for name, text := range b.Metadata {
		if utf8.RuneCountInString(name) > maxName || utf8.RuneCountInString(text) > maxMetadata {
			return atelier.Refuse("metadata", "must have names of at most %d and texts of at most %d characters.", maxName, maxMetadata)
		}
	}
	return nil
}

// keep makes the note independent of the body, and gives fields that were not sent the values that responses show.
func (n *Note) keep() {
	n.ToolChoice, n.Tools, n.Text.Format = orJSON(n.ToolChoice, `"auto"`), orJSON(n.Tools, `[]`), orJSON(n.Text.Format, `{"type":"text"}`)
	if n.Metadata == nil {
		n.Metadata = map[string]string{}
	}
}

func orJSON(raw wire.Raw, otherwise string) wire.Raw {
	if isAbsent(raw) {
		return wire.Raw(otherwise)
	}
	return raw.Clone()
}

func (r Reasoning) thinks() bool {
	return r.Effort == nil || *r.Effort != "none" && *r.Effort != "minimal"
}

// params are the parameters that model servers are sent.
func (b *Body) params() (map[string]wire.Raw, error) {
	given := map[string]any{}
	if b.Temperature != nil {
		given["temperature"] = *b.Temperature
	}
	if b.TopP != nil {
		given["top_p"] = *b.TopP
	}
	if !b.Parallel {
		given["parallel_tool_calls"] = false
	}
	if e := b.Reasoning.Effort; e != nil && *e != "none" {
		given["reasoning_effort"] = *e
	}
	if v := b.Text.Verbosity; v != nil {
		given["verbosity"] = *v
	}
	format, err := b.Text.responseFormat()
	if err != nil {
		return nil, err
	}
	if format != nil {
		given["response_format"] = format
	}
	out := make(map[string]wire.Raw, len(given))
	for name, v := range given {
		if out[name], err = wire.Marshal(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// responseFormat is the format as chat completions have it; nil for text.
func (t Text) responseFormat() (any, error) {
	if isAbsent(t.Format) {
		return nil, nil
	}
	type schema struct {
		Name        string   `json:"name"`
		Description string   `json:"description,omitzero"`
		Schema      wire.Raw `json:"schema"`
		Strict      *bool    `json:"strict,omitzero"`
	}
	var f struct {
		Type string `json:"type"`
		schema
	}
	const at = "text.format"
	switch err := wire.UnmarshalLenient(t.Format, &f); {
	case err != nil:
		return nil, atelier.Refuse(at, "is not a format: an object with a type.")
	case f.Type == "text":
		return nil, nil
	case f.Type == "json_object":
		return map[string]string{"type": f.Type}, nil
	case f.Type != "json_schema":
		return nil, atelier.Refuse(at+".type", "must be text, json_object or json_schema.")
	case f.Name == "":
		return nil, atelier.Refuse(at+".name", "is required.")
	case len(f.Schema) == 0 || f.Schema[0] != '{':
		return nil, atelier.Refuse(at+".schema", "must be a JSON Schema: an object.")
	}
	return struct {
		Type   string `json:"type"`
		Schema schema `json:"json_schema"`
	}{f.Type, f.schema}, nil
}

// serverLabel is the name of the tools of this service among servers of tools.
const serverLabel = "atelier"

// tool is a tool of a request.
type tool struct {
	Type        string   `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parameters  wire.Raw `json:"parameters"`
	Strict      *bool    `json:"strict"`
	ServerLabel string   `json:"server_label"`
	Allowed     wire.Raw `json:"allowed_tools"`
	Approval    wire.Raw `json:"require_approval"`
	Quality     string   `json:"quality"`
	Size        string   `json:"size"`
	Background  string   `json:"background"`
	Partial     int      `json:"partial_images"`
	Mask        wire.Raw `json:"input_image_mask"`
}

// readTools reads the functions of the caller, and which tools of the service are offered.
func (r *Request) readTools(raw wire.Raw, c *catalog.Catalog) error {
	if isAbsent(raw) {
		return nil
	}
	err := wire.Items(raw, maxTools, func(i int, item wire.Raw) error {
		at := fmt.Sprintf("tools[%d]", i)
		var t tool
		if err := wire.UnmarshalLenient(item, &t); err != nil {
			return atelier.Refuse(at, "is not a tool: an object with a type.")
		}
		switch t.Type {
		case "function":
			return r.readFunction(at, t)
		case "image_generation":
			return r.readPictures(at, t, c)
		case "mcp":
			return r.readHosted(at, t, c)
		}
		return atelier.Refuse(at+".type", "must be function, image_generation or mcp: other tools are not offered here.")
	})
	return wire.ListError(err, "tools", maxTools)
}

func (r *Request) readFunction(at string, t tool) error {
	switch {
	case t.Name == "":
		return atelier.Refuse(at+".name", "is required.")
	case !isAbsent(t.Parameters) && t.Parameters[0] != '{':
		return atelier.Refuse(at+".parameters", "must be a JSON Schema: an object.")
	}
	f := llm.Function{Name: t.Name, Description: t.Description, Strict: t.Strict}
	if !isAbsent(t.Parameters) {
		f.Parameters = t.Parameters.Clone()
	}
	r.Chat.Tools = append(r.Chat.Tools, llm.Tool{Type: "function", Function: f})
	return nil
}

// tiers are the quality tiers by the quality of pictures.
var tiers = map[string]string{"": "", "auto": "", "low": "fast", "medium": "hq", "high": "pro"}

// readPictures offers the tools that make and change pictures.
func (r *Request) readPictures(at string, t tool, c *catalog.Catalog) error {
	tier, known := tiers[t.Quality]
	switch {
	case !known:
		return atelier.Refuse(at+".quality", "must be low, medium, high or auto.")
	case t.Size != "" && t.Size != "auto":
		return atelier.Refuse(at+".size", "must be auto: the model chooses the size. Say it in the instructions.")
	case t.Background == "transparent":
		return atelier.Refuse(at+".background", "must be auto or opaque.")
	case t.Partial < 0 || t.Partial > 3:
		return atelier.Refuse(at+".partial_images", "must be from 0 to 3.")
	case !isAbsent(t.Mask):
		return atelier.Refuse(at+".input_image_mask", "is not supported: use POST /v1/images/edits.")
	}
	r.Chat.Tier, r.Note.Partial = tier, t.Partial
	for _, tool := range c.ToolFamily(catalog.CreativeTools) {
		if tool.Produces != nil && tool.Produces.Kind == catalog.Image {
			r.Note.Pictures = append(r.Note.Pictures, tool.Name)
		}
	}
	r.offer(r.Note.Pictures)
	return nil
}

// readHosted offers the tools of the service, all or those that are named.
func (r *Request) readHosted(at string, t tool, c *catalog.Catalog) error {
	if t.ServerLabel != serverLabel {
		return atelier.Refuse(at+".server_label", "must be %s: its tools are those of this service, and other servers are not asked.", serverLabel)
	}
	if approval := string(t.Approval); !isAbsent(t.Approval) && approval != `"never"` {
		return atelier.Refuse(at+".require_approval", "must be never: start a chat run to approve calls.")
	}
	r.Note.Hosted = true
	if isAbsent(t.Allowed) {
		r.Chat.Family, r.Chat.Allowed = catalog.CreativeAgent, nil
		return nil
	}
	var names []string
	if err := wire.Unmarshal(t.Allowed, &names); err != nil || len(names) > maxTools {
		return atelier.Refuse(at+".allowed_tools", "must be a list of at most %d names.", maxTools)
	}
	for i, name := range names {
		if _, ok := c.Tool(name); !ok {
			return atelier.Refuse(fmt.Sprintf("%s.allowed_tools[%d]", at, i), "must be the name of a tool of this service.")
		}
	}
	r.offer(names)
	return nil
}

// offer offers tools of the service beside those that are offered already.
func (r *Request) offer(names []string) {
	if r.Chat.Family == "" || r.Chat.Allowed != nil { // not all of them yet
		r.Chat.Family, r.Chat.Allowed = catalog.CreativeAgent, append(r.Chat.Allowed, names...)
	}
}

// readToolChoice reads which tools the model may or must call.
func (r *Request) readToolChoice(raw wire.Raw) error {
	if isAbsent(raw) {
		return nil
	}
	var word string
	if wire.Unmarshal(raw, &word) == nil {
		if word != "auto" && word != "none" && word != "required" {
			return atelier.Refuse("tool_choice", "must be auto, none, required or a tool.")
		}
		r.Chat.ToolChoice.Mode = word
		return nil
	}
	var named struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	switch err := wire.UnmarshalLenient(raw, &named); {
	case err == nil && (named.Type == "function" || named.Type == "mcp") && named.Name != "":
		r.Chat.ToolChoice.Function = named.Name
	case err == nil && named.Type == "image_generation" && len(r.Note.Pictures) > 0:
		r.Chat.ToolChoice.Function = "generate_image"
	default:
		return atelier.Refuse("tool_choice", `must be auto, none, required, or one of tools, such as {"type": "function", "name": …}.`)
	}
	return nil
}
