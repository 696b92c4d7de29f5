package endpoint

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

// A form is refused when it is too large, has too many parts, or is not one, and costs memory only while it is read.
func TestForms(t *testing.T) {
	t.Parallel()
	type request struct {
		Name string `wire:"name,maxlen=10"`
		N    int    `wire:"n,max=5"`
	}
	type reply struct {
		Got string `json:"got"`
	}
	form := Form(func(_ *Call, q request, files []FormFile) (reply, error) {
		out := fmt.Sprint(q.Name, " ", q.N)
		for _, f := range files {
			out += fmt.Sprintf(" %s=%s:%d", f.Field, f.Name, len(f.Data))
		}
		return reply{out}, nil
	}, "file").UpTo(wire.Bounds{Text: 1 << 20})
	s := serverOf(io.Discard, line("POST", "/v1/form", OpenAI, wire.Lenient, NoKey, form))
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	const kind = "multipart/form-data; boundary=b"
	for name, tc := range map[string]struct {
		kind, body string
		status     int
		says       string
	}{
		"texts and files": {kind, part(`name="name"`, "ann") + part(`name="n"`, "2") + part(`name="image[]"; filename="a.png"`, "abc") + part(`name="image[]"; filename="b.png"`, "") + "--b--\r\n", 201, "ann 2 image=a.png:3 image=b.png:0"},
		"nothing":         {kind, "--b--\r\n", 201, " 0"},
		"unknown":         {kind, part(`name="other"`, "x") + "--b--\r\n", 201, " 0"},
		"a wrong value":   {kind, part(`name="n"`, "9") + "--b--\r\n", 400, `"param":"n"`},
		"a long value":    {kind, part(`name="name"`, "abcdefghijk") + "--b--\r\n", 400, `"param":"name"`},
		"no text":         {kind, part(`name="name"`, "\xff") + "--b--\r\n", 400, `"param":"name"`},
		"long texts":      {kind, part(`name="other"`, strings.Repeat("x", maxFormText+1)) + "--b--\r\n", 413, "texts of the form"},
		"many parts":      {kind, strings.Repeat(part(`name="other"`, "x"), maxParts+1) + "--b--\r\n", 400, "more than 64 parts"},
		"a long name":     {kind, part(`name="`+strings.Repeat("x", maxFieldName+1)+`"; filename="a"`, "x") + "--b--\r\n", 400, "name of a part"},
		"a name, no text": {kind, part("name=\"\xff\"; filename=\"a\"", "x") + "--b--\r\n", 400, "name of a part"},
		"too large":       {kind, part(`name="image"; filename="a"`, strings.Repeat("x", 1<<20)) + "--b--\r\n", 413, "larger than"},
		"cut off":         {kind, part(`name="name"`, "ann") + "--b\r\nContent-Disp", 400, "not a valid form"},
		"JSON":            {"application/json", `{"name": "ann"}`, 415, "multipart/form-data"},
		"no boundary":     {"multipart/form-data", "x", 415, "multipart/form-data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("POST", "/v1/form", strings.NewReader(tc.body))
			r.Header.Set("Content-Type", tc.kind)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, tc.status, tc.says)
			}
		})
	}
	t.Cleanup(func() {
		if err := s.bodies.AcquireNow("ann", bodyShare(s.table)); err != nil {
			t.Errorf("memory is still held: %v", err)
		}
	})
}
