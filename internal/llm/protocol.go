package llm

import (
	"bytes"
	"net/http"
)

// protocol is what a server speaks.
type protocol struct {
	path      string // of conversations, below the base URL
	authorize func(req *http.Request, key string)
	write     func(b *bytes.Buffer, model string, r Request, extra []string) error
	whole     func(data []byte) (Delta, error) // reads an answer that comes in one piece
	events    func() eventReader               // makes a reader of the events of one answer
}

// protocols are those that upstreams speak, by their kind.
var protocols = map[string]protocol{
	"openai": {
		path: "/chat/completions", authorize: authorizeBearer, write: writeRequest, whole: readCompletion,
		events: func() eventReader { return new(chunkReader) },
	},
	"anthropic": {
		path: "/messages", authorize: authorizeAnthropic, write: writeAnthropic, whole: readAnthropic,
		events: func() eventReader { return new(anthropicReader) },
	},
}

func authorizeBearer(req *http.Request, key string) {
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// anthropicVersion is the version of Anthropic's API whose shapes are here.
const anthropicVersion = "2023-06-01"

func authorizeAnthropic(req *http.Request, key string) {
	req.Header.Set("Anthropic-Version", anthropicVersion)
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
}
