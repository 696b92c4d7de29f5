package cursor_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/cursor"
)

func TestCursor(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_123).UTC()
	p, err := cursor.Decode("runs", *cursor.Encode("runs", cursor.Time(at), "a\nfox"), 2)
	if err != nil || p.Text(1) != "a\nfox" {
		t.Fatalf("got %q, %v", p, err)
	}
	if got, err := p.Time(0); err != nil || !got.Equal(at) {
		t.Errorf("got %v, %v; want %v", got, err, at)
	}
	if _, err := p.Time(1); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
		t.Errorf("a text as a time: %v", err)
	}
	begin, err := cursor.Decode("runs", "", 2)
	if err != nil || begin != nil || begin.Text(1) != "" {
		t.Errorf("the beginning: %q, %v", begin, err)
	}
	if got, err := begin.Time(0); err != nil || !got.IsZero() {
		t.Errorf("the time of the beginning: %v, %v", got, err)
	}
}

func TestCursorsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	raw := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for name, text := range map[string]string{
		"another list": *cursor.Encode("jobs", "1", "fox"), "too short": *cursor.Encode("runs", "1"),
		"not base64": "%%%", "a NUL": raw("runs\n1\n\x00"), "not UTF-8": raw("runs\n1\n\xff"), "no name": raw("1\n2"),
	} {
		if p, err := cursor.Decode("runs", text, 2); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%s: got %q, %v", name, p, err)
		}
	}
	for _, ms := range []string{"-1", "253402300800001", "x"} {
		p, err := cursor.Decode("runs", *cursor.Encode("runs", ms), 1)
		if err != nil {
			t.Fatal(err)
		}
		if at, err := p.Time(0); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%s: got %v, %v", ms, at, err)
		}
	}
}
