package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/atelier-project/atelier"
)

// Template is what callers need of a template to start it.
type Template struct {
	ID          string                    `json:"id"`
	Version     string                    `json:"version"`
	Name        string                    `json:"name"`
	Description string                    `json:"description"`
	Brief       string                    `json:"brief"`
	Category    atelier.TemplateCategory  `json:"category"`
	Stability   atelier.TemplateStability `json:"stability"`
	Visibility  atelier.Visibility        `json:"visibility"`
	Inputs      []TemplateInput           `json:"inputs"`
	Stages      []TemplateStage           `json:"stages"`

	// Document is the whole template, as the service sent it.
	Document json.RawMessage `json:"-"`
}

// TemplateInput is a value that a template asks for.
type TemplateInput struct {
	Name        string            `json:"name"`
	Type        atelier.InputType `json:"type"`
	Required    bool              `json:"required"`
	Description string            `json:"description"`
	Default     any               `json:"default"`
	Options     []any             `json:"options"` // values, or objects with a value and a label
	Multiple    json.RawMessage   `json:"multiple"`
}

// TakesList reports whether the input is a list of values.
func (i TemplateInput) TakesList() bool {
	return len(i.Multiple) > 0 && string(i.Multiple) != "null" && string(i.Multiple) != "false"
}

// TemplateStage is a part of a template.
type TemplateStage struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
	Tool  string `json:"tool"`
}

// UnmarshalJSON reads the template and keeps its document.
func (t *Template) UnmarshalJSON(data []byte) error {
	type plain Template
	if err := json.Unmarshal(data, (*plain)(t)); err != nil {
		return err
	}
	t.Document = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON writes the document.
func (t Template) MarshalJSON() ([]byte, error) { return t.Document.MarshalJSON() }

const templates = workflows + "/templates"

// Templates lists templates: own, public or all of them. Next is where the next page begins, or -1.
func (c *Client) Templates(ctx context.Context, visibility string, offset, limit int) (list []Template, next int, err error) {
	q := url.Values{"visibility": {visibility}, "offset": {strconv.Itoa(offset)}, "limit": {strconv.Itoa(limit)}}
	var reply struct {
		Templates []Template `json:"templates"`
		Next      *int       `json:"next"`
	}
	if _, err := c.call(ctx, http.MethodGet, templates+"?"+q.Encode(), nil, &reply); err != nil {
		return nil, -1, err
	}
	next = -1
	if reply.Next != nil {
		next = *reply.Next
	}
	return reply.Templates, next, nil
}

// Template reads a template.
func (c *Client) Template(ctx context.Context, id string) (t Template, err error) {
	reply := struct {
		Template *Template `json:"template"`
	}{&t}
	_, err = c.call(ctx, http.MethodGet, templates+"/"+url.PathEscape(id), nil, &reply)
	return t, err
}
