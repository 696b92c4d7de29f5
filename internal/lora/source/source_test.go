package source_test

import (
	"bytes"
	"testing"

	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
)

func TestSmoke(t *testing.T) {
	sites := loratest.Serve(t)
	content := bytes.Repeat([]byte("0123456789"), 100_000)
	links := []string{sites.AddHubFile("o/r", "a/b c.safetensors", content), sites.AddCivitaiFile(7, 70, content)}
	s, err := source.New(loratest.Sources(sites.URL), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	links[0] = "https://huggingface.co/o/r/blob/main/a/b%20c.safetensors?download=true"
	for _, text := range links {
		l, err := s.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Resolve(t.Context(), l)
		t.Logf("%s\n%+v", l, p)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := s.Download(t.Context(), p, &b, nil); err != nil || !bytes.Equal(b.Bytes(), content) {
			t.Fatal(err, b.Len())
		}
	}
}
