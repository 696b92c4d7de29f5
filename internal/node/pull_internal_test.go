package node

import (
	"maps"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/connection"
)

// The key of a site goes with files that are read from the site itself, and a mirror gets none.
func TestWeightSites(t *testing.T) {
	t.Setenv("HF_TOKEN", "")
	t.Setenv("CIVITAI_TOKEN", "civitai-environment")
	site := func(host, base, key string) connection.Entry {
		return connection.Entry{Kind: apitype.ConnectionLoraSource, Key: key, Settings: apitype.ConnectionSettings{
			LoraSource: &apitype.LoraSourceConnection{Host: host, BaseURL: base},
		}}
	}
	language := connection.Entry{Kind: apitype.ConnectionLLM, Key: "sk", Settings: apitype.ConnectionSettings{LLM: &apitype.LLMConnection{BaseURL: "https://huggingface.co"}}}
	tests := []struct {
		used            []connection.Entry
		mirrors, tokens map[string]string
	}{
		{nil, nil, map[string]string{"civitai.com": "civitai-environment"}},
		{
			[]connection.Entry{language, site("huggingface.co", "https://huggingface.co/", "hf"), site("civitai.com", "https://civitai.com", "")},
			nil, map[string]string{"huggingface.co": "hf", "civitai.com": "civitai-environment"},
		},
		{
			[]connection.Entry{site("huggingface.co", "https://mirror.example/hub", "key of the mirror"), site("civitai.com", "http://civitai.com", "in clear")},
			map[string]string{"huggingface.co": "https://mirror.example/hub", "civitai.com": "http://civitai.com"},
			map[string]string{"civitai.com": "civitai-environment"},
		},
	}
	for _, test := range tests {
		got := sitesOf(test.used)
		if !maps.Equal(got.Mirrors, test.mirrors) || !maps.Equal(got.Tokens, test.tokens) {
			t.Errorf("got the mirrors %v and the tokens %v, want %v and %v", got.Mirrors, got.Tokens, test.mirrors, test.tokens)
		}
	}
}
