package openai

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

func picture(t testing.TB, kind string, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, w, h))
	err := png.Encode(&b, img)
	if kind == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestReadMessages(t *testing.T) {
	t.Parallel()
	c, err := readMessages(wire.Raw(`[{"role":"developer","content":"a"},{"role":"user","content":[{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + picture(t, "png", 1, 1) + `","detail":"low"}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"c"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.messages; len(got) != 4 || got[0].Role != "system" || got[1].Content[1].Detail != "low" || got[2].ToolCalls[0].Type != "function" || got[3].ToolCallID != "1" {
		t.Errorf("%+v", got)
	}
	for in, field := range map[string]string{
		`{}`: "messages", `[]`: "messages", `["x"]`: "messages[0]", `[{"role":"king","content":"x"}]`: "messages[0].role",
		`[{"role":"user"}]`: "messages[0].content", `[{"role":"user","content":5}]`: "messages[0].content",
		`[{"role":"user","content":[{"type":"video"}]}]`: "messages[0].content[0].type", `[{"role":"user","content":[{"type":"image_url"}]}]`: "messages[0].content[0].image_url.url",
		`[{"role":"tool","content":"x"}]`: "messages[0].tool_call_id", `[{"role":"assistant","tool_calls":[{"id":"1"}]}]`: "messages[0].tool_calls[0].function.name",
	} {
		var e *atelier.Error
		if _, err := readMessages(wire.Raw(in)); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v, want a refusal of %s", in, err, field)
		}
	}
}

// A conversation is counted while it is read: what is too much is refused by name,
// whatever it is made of, and before it is made into anything.
func TestConversationsAreBounded(t *testing.T) {
	t.Parallel()
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	const text, call = `{"type":"text","text":"x"}`, `{"id":"1","function":{"name":"f","arguments":"{}"}}`
	for name, tc := range map[string]struct{ messages, field, says string }{
		"messages":        {list(4097, `{"role":"user","content":"x"}`), "messages", "at most 4096"},
		"parts":           {list(1, `{"role":"user","content":`+list(1025, text)+`}`), "messages[0].content", "at most 1024"},
		"calls":           {list(1, `{"role":"assistant","tool_calls":`+list(129, call)+`}`), "messages[0].tool_calls", "at most 128"},
		"empty parts":     {list(1, `{"role":"user","content":`+list(100_000, `{}`)+`}`), "messages[0].content[0].type", "text or image_url"},
		"empty calls":     {list(1, `{"role":"assistant","tool_calls":`+list(100_000, `{}`)+`}`), "messages[0].tool_calls[0].function.name", "required"},
		"no calls":        {list(1, `{"role":"assistant","tool_calls":{}}`), "messages[0].tool_calls", "array"},
		"a call of words": {list(1, `{"role":"assistant","tool_calls":["x"]}`), "messages[0].tool_calls[0]", "not a call"},
		"words":           {list(2, `{"role":"user","content":"`+strings.Repeat("x", 2<<20+1)+`"}`), "messages[1]", "may have 4194304 bytes"},
		"words as media":  {list(1, `{"role":"user","content":"data:`+strings.Repeat("x", 5<<20)+`"}`), "messages[0]", "may have 4194304 bytes"},
		"arguments":       {list(1, `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"`+strings.Repeat("x", 5<<20)+`"}}]}`), "messages[0]", "may have 4194304 bytes"},
	} {
		var e *atelier.Error
		if _, err := readMessages(wire.Raw(tc.messages)); !errors.As(err, &e) || e.Field != tc.field || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%s: got %.200v, want a refusal of %s that says %q", name, err, tc.field, tc.says)
		}
	}
}

// What is refused is not made into anything before. It counts allocations, so it
// does not run beside others.
func TestRefusedPartsAreNotRead(t *testing.T) {
	parts := wire.Raw(`[{"role":"user","content":[{}` + strings.Repeat(",{}", 100_000) + `]}]`)
	if n := testing.AllocsPerRun(5, func() { _, _ = readMessages(parts) }); n > 100 {
		t.Errorf("refusing 100000 empty parts takes %v allocations", n)
	}
}

// A conversation with a developer is about code, where the request names no
// profile.
func TestProfile(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]chat.Profile{
		`[{"role":"developer","content":"a"}]`: chat.Coding, `[{"role":"user","content":"a"},{"role":"developer","content":"b"}]`: chat.Coding,
		`[{"role":"user","content":"a developer"}]`: chat.General, `[{"role":"system","content":"a"}]`: chat.General,
	} {
		c, err := readMessages(wire.Raw(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.profile(); got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
}

func FuzzReadMessages(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":[{"type":"text","text":"b"}]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if c, err := readMessages(raw); err == nil {
			_ = llm.MessageTokens(c.messages)
		}
	})
}

func TestImages(t *testing.T) {
	t.Parallel()
	show := func(role string, urls ...string) string {
		var parts []string
		for _, url := range urls {
			parts = append(parts, `{"type":"image_url","image_url":"`+url+`"}`)
		}
		return `[{"role":"` + role + `","content":[` + strings.Join(parts, ",") + `]}]`
	}
	small := "data:image/png;base64," + picture(t, "png", 8, 8)
	for name, tc := range map[string]struct{ messages, says string }{ // says is empty for what is taken
		"png":                   {show("user", small), ""},
		"jpeg":                  {show("user", "data:image/jpeg;base64,"+picture(t, "jpeg", 1024, 3)), ""},
		"jpg":                   {show("user", "data:image/jpg;base64,"+picture(t, "jpeg", 3, 3)), ""},
		"escaped":               {show("user", strings.ReplaceAll(small, "/", `\/`)), ""},
		"without its padding":   {show("user", strings.TrimRight(small, "=")), ""},
		"in an object":          {`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + small + `"}}]}]`, ""},
		"null in an object":     {`[{"role":"user","content":[{"type":"image_url","image_url":{"url":null}}]}]`, "is required"},
		"a number":              {`[{"role":"user","content":[{"type":"image_url","image_url":7}]}]`, "is required"},
		"not by a user":         {show("assistant", small), "only user messages"},
		"too many":              {show("user", slices.Repeat([]string{small}, 21)...), "at most 20"},
		"remote":                {show("user", "https://example.org/x.png"), "inline data URI"},
		"empty":                 {show("user", ""), "inline data URI"},
		"no base64":             {show("user", "data:image/png,abc"), "data URI"},
		"bad base64":            {show("user", "data:image/png;base64,???"), "base64"},
		"bad base64 at the end": {show("user", small+"?"), "base64"},
		"a gif":                 {show("user", "data:image/gif;base64,R0lGODlh"), "PNG or JPEG"},
		"another type":          {show("user", "data:image/jpeg;base64,"+picture(t, "png", 8, 8)), "but its content is image/png"},
		"too long a side":       {show("user", "data:image/png;base64,"+picture(t, "png", 1025, 8)), "longest side"},
		"too large":             {show("user", "data:image/png;base64,"+strings.Repeat("A", 14<<20)), "at most 10 MB"},
		"not a picture":         {show("user", "data:image/png;base64,iVBORw0KGgo="), "picture"},
	} {
		c, err := readMessages(wire.Raw(tc.messages))
		if (tc.says == "") != (err == nil) || (err != nil && (!atelier.HasCode(err, atelier.CodeInvalidRequest) || !strings.Contains(err.Error(), tc.says))) {
			t.Errorf("%s: got %v, want %q", name, err, tc.says)
		}
		if err == nil && len(c.messages[0].Content[0].Image.Data) == 0 {
			t.Errorf("%s: the image is empty", name)
		}
	}
}
