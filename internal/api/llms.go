package api

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// notWord separates the words of an anchor of the reference.
var notWord = regexp.MustCompile(`\W+`)

// showForLLMs sends what a language model needs to know to use this service: an overview in
// Markdown with links, as llmstxt.org proposes.
func (s *Server) showForLLMs(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = io.WriteString(w, s.forLLMs()) // the client has gone
	return nil
}

func (s *Server) forLLMs() string {
	var b strings.Builder
	at := s.publicURL
	fmt.Fprintf(&b, `# atelier

> A self-hosted creative generation service: one HTTP and JSON API over its owner's GPUs and language models. It makes
> pictures, clips, music, speech and 3D models, and chats with language models that can do so too.

Base address: %s. Send an API key as "Authorization: Bearer KEY". Answers are {"status": "success", "data": …} or
{"status": "error", "errorCode": …, "message": …}; the endpoints in the shapes of OpenAI, Anthropic and others answer as theirs do.
To make media, start a workflow of steps (a tool and its arguments each) and follow its events until it is completed.

## Reference

- [OpenAPI document](%s/openapi.json): every endpoint, with a schema of the arguments of each tool
- [Reference](%s/docs): the same for people
- [Tools](%s/v1/tools): every tool with its arguments, models and prices
- [Generation models](%s/v1/model-catalog): what renders
- [Language models](%s/v1/models): what chats
- [Model Context Protocol](%s/mcp): the tools for programs that speak it

## Endpoints

`, at, at, at, at, at, at, at)
	for _, section := range sections {
		anchor := notWord.ReplaceAllString(strings.ToLower(section.Name), "-")
		fmt.Fprintf(&b, "- [%s](%s/docs#group-%s): %s\n", section.Name, at, anchor, section.About)
	}
	b.WriteString("\n## Tools\n\n")
	for _, t := range s.catalog.Tools() {
		fmt.Fprintf(&b, "- [%s](%s/v1/tools/%s): %s\n", t.Name, at, t.Name, t.Description)
	}
	return b.String()
}
