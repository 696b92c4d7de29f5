package bare_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/load"
)

// The model answers with as many bytes as the last mark of a request asks for, at once or in chunks.
func TestModel(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(&bare.Model{})
	defer s.Close()
	c, err := load.Dial(t.Context(), s.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wish := "mock:5:0. " + bare.ModelText(100, time.Millisecond)
	for body, want := range map[string]string{
		`{"messages":[{"content":"` + wish + `"}]}`:               `"completion_tokens":26`,
		`{"stream":true,"messages":[{"content":"` + wish + `"}]}`: "data: [DONE]",
	} {
		answer, err := c.Want(200, "POST", "/v1/chat/completions", load.JSON, []byte(body))
		if err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("%s: got %s, %v", body, answer, err)
		}
	}
	if _, err := c.Want(400, "POST", "/v1/chat/completions", load.JSON, []byte(`{}`)); err != nil {
		t.Error(err)
	}
	if got := bare.ModelContent(1000); len(got) < 990 || len(got) > 1000 {
		t.Errorf("an answer of 1,000 bytes has %d", len(got))
	}
}
