package openai

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
)

// readBody turns a body into a request, as the handler does.
func readBody(t testing.TB, body []byte) (*chat.Request, error) {
	t.Helper()
	var b CompletionBody
	if err := wire.ShapeOf(reflect.TypeFor[CompletionBody](), wire.Lenient).Body(body, nil, &b); err != nil {
		return nil, err
	}
	r, err := b.Request(atelier.Caller{}, "an app")
	if err == nil && !reflect.DeepEqual(b, CompletionBody{}) {
		t.Errorf("the body still holds %+v", b)
	}
	return r, err
}

// everything is a body with every kind of field.
func everything(t testing.TB) string {
	return `{"model":"m","stream":true,"messages":[{"role":"developer","content":"be brief"},
		{"role":"user","name":"ann","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + picture(t, "png", 8, 8) + `","detail":"low"}}]},
		{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"weather","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"rain"}],
		"tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object"},"strict":true}}],"tool_choice":{"type":"function","function":{"name":"weather"},"x":1},
		"media_references":[{"kind":"image","url":"https://media.example/a.png","filename":"a.png"},{"kind":"image","data_uri":"data:image/png;base64,` + picture(t, "png", 2, 2) + `"}],
		"chat_template_kwargs":{"enable_thinking":false,"voice":"plain"},"response_format":{"type":"json_object"},"stop":["a","b"],"logit_bias":{"7":1},"temperature":1,"seed":7,
		"max_completion_tokens":9,"svc_tools":"creative-agent","session_id":"s","unheard_of":{"a":[1]}}`
}

func TestCompletionRequest(t *testing.T) {
	t.Parallel()
	r, err := readBody(t, []byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != "m" || !r.Stream || r.MaxTokens != 9 || r.Thinking || r.Profile != chat.Coding || r.Family != "creative-agent" || r.Session != "s" || !r.Execute || !r.Filter ||
		r.Terms != (atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: "an app"}) || r.ToolChoice != (chat.ToolChoice{Function: "weather"}) {
		t.Errorf("got %+v", r)
	}
	if m := r.Messages; len(m) != 4 || m[0].Role != "system" || m[1].Content[1].Image.Type != "image/png" || m[1].Content[1].Detail != "low" || m[2].ToolCalls[0].Function.Arguments != `{"a":1}` || m[3].ToolCallID != "1" {
		t.Errorf("the messages are %+v", m)
	}
	if m := r.Media; len(m) != 2 || m[0].URL != "https://media.example/a.png" || m[0].Original["filename"] != "a.png" || m[0].Data != nil || m[1].URL != "" || m[1].ContentType != "image/png" || !bytes.HasPrefix(m[1].Data, []byte("\x89PNG")) {
		t.Errorf("the media is %+v", m)
	}
	if len(r.Tools) != 1 || r.Tools[0].Function.Name != "weather" || string(r.Tools[0].Function.Parameters) != `{"type":"object"}` {
		t.Errorf("the tools are %+v", r.Tools)
	}
	params := map[string]string{}
	for name, raw := range r.Params {
		params[name] = string(raw)
	}
	if got, want := fmt.Sprint(params), `map[logit_bias:{"7":1} response_format:{"type":"json_object"} seed:7 stop:["a","b"] temperature:1]`; got != want {
		t.Errorf("the parameters are %s, want %s", got, want)
	}
	if string(r.TemplateArgs["voice"]) != `"plain"` || string(r.Extra["unheard_of"]) != `{"a":[1]}` {
		t.Errorf("got %s and %s", r.TemplateArgs, r.Extra)
	}
}

// A request may be answered for minutes. It must keep nothing of a body that may
// have hundreds of megabytes, so it stays the same when the body is overwritten.
func TestRequestKeepsNothingOfTheBody(t *testing.T) {
	t.Parallel()
	want, err := readBody(t, []byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(everything(t))
	got, err := readBody(t, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := range body {
		body[i] = 'x'
	}
	got.ID = want.ID
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMediaReferences(t *testing.T) {
	t.Parallel()
	pixel := "data:image/png;base64," + picture(t, "png", 1, 1)
	for _, c := range []struct{ media, field, says string }{ // without a field it is taken
		{`{"kind":"image","url":"https://a.example/a.png"}`, "", ""},
		{`{"kind":"image","value":"http://a.example/a.png"}`, "", ""},
		{`{"kind":"image","url":"` + pixel + `"}`, "", ""},
		{`{"kind":"image","value":"` + strings.ReplaceAll(pixel, "/", `\/`) + `"}`, "", ""},
		{`{"kind":"image","url":"","data_uri":"` + pixel + `"}`, "", ""},
		{`{"kind":"image"}`, "media_references[0].url", "is required"},
		{`{"kind":"image","url":null}`, "media_references[0].url", "is required"},
		{`{"kind":"image","url":7}`, "media_references[0].url", "must be a string"},
		{`{"kind":"image","url":["https://a.example/a.png"]}`, "media_references[0].url", "must be a string"},
		{`{"kind":"image","url":"https://a.example/a.png","value":"https://a.example/a.png"}`, "media_references[0].value", "send only one"},
		{`{"kind":"image","url":"ftp://a.example/a.png"}`, "media_references[0].url", "http or https"},
		{`{"kind":"image","value":"a.png"}`, "media_references[0].value", "http or https"},
		{`{"kind":"video","data_uri":"` + pixel + `"}`, "media_references[0].data_uri", "kind video"},
		{`{"kind":"image","url":"https://a.example/a.png","x":1e999}`, "media_references[0].x", "too large"},
	} {
		r, err := readBody(t, []byte(`{"messages":[{"role":"user","content":"x"}],"media_references":[`+c.media+`]}`))
		var e *atelier.Error
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", c.media, err)
		case c.field == "" && (r.Media[0].URL == "") == (r.Media[0].Data == nil):
			t.Errorf("%s: got %+v", c.media, r.Media)
		case c.field != "" && (!errors.As(err, &e) || e.Field != c.field || !strings.Contains(e.Message, c.says)):
			t.Errorf("%s: got %v, want a refusal of %s that says %q", c.media, err, c.field, c.says)
		}
	}
}

// BenchmarkInlineMedia reads a body of 32 MB: two pieces of media beside the
// messages, and an image inside one. Allocated bytes are what it takes to read it,
// kept bytes what the request holds while it is answered.
func BenchmarkInlineMedia(b *testing.B) {
	head := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	piece := `"data:image/png;base64,` + base64.StdEncoding.EncodeToString(append(head, make([]byte, 9<<20)...)) + `"`
	image := bytes.NewBuffer(nil)
	decoded, err := base64.StdEncoding.DecodeString(picture(b, "png", 64, 64))
	if err != nil {
		b.Fatal(err)
	}
	image.Write(decoded)
	image.Write(make([]byte, 6<<20))
	shown := `"data:image/png;base64,` + base64.StdEncoding.EncodeToString(image.Bytes()) + `"`
	body := []byte(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":` + shown + `}}]}],
		"media_references":[{"kind":"image","url":` + piece + `},{"kind":"image","data_uri":` + piece + `}]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	var r *chat.Request
	for b.Loop() {
		if r, err = readBody(b, body); err != nil {
			b.Fatal(err)
		}
	}
	kept := len(r.Messages[0].Content[0].Image.Data)
	for _, m := range r.Media {
		kept += len(m.Data)
	}
	b.ReportMetric(float64(kept), "kept-bytes")
}
