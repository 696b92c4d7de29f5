package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
)

func errorsDocument() string {
	var b strings.Builder
	b.WriteString("# Errors\n\n" + generated + `
Branch on the HTTP status first, then on the number or the slug. Both are part
of the interface: they are never reused and never change their meaning.

## Envelopes

The LLM routes (` + "`/v1/chat/completions`, `/v1/models`" + `) answer as OpenAI's do, and so do the
paths under ` + "`/v1`" + ` of which the service has none, such as ` + "`/v1/batches`" + `:

` + "```json" + `
{"error": {"message": "messages is required.", "type": "invalid_request_error", "param": "messages", "code": "invalid_request"}}
` + "```" + `

` + "`/v1/messages`" + ` and what is below it answer as Anthropic's API does:

` + "```json" + `
{"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens is required.", "param": "max_tokens", "code": "invalid_request"}}
` + "```" + `

What is below ` + "`/replicate/v1`" + ` answers as Replicate's API does, with the status 422 for a request that is not valid:

` + "```json" + `
{"title": "Unprocessable Entity", "detail": "input.prompt is required.", "status": 422, "code": "invalid_request", "invalid_fields": [{"type": "value_error", "field": "input.prompt", "description": "input.prompt is required."}]}
` + "```" + `

All others:

` + "```json" + `
{"status": "error", "errorCode": 102, "message": "provider must be one of \"base\" or \"etherlink\".", "details": {"field": "provider"}}
` + "```" + `

- ` + "`message`" + ` says what is wrong and what to do next.
- ` + "`details.field`" + ` (on LLM routes ` + "`param`" + `) is the path of the offending field.
- ` + "`retryAfter`" + `, in seconds, and the header ` + "`Retry-After`" + ` say when to try again.
- ` + "`details.supportedOptions`" + ` lists the names of counters, when the analytics do not know one.
- The 429 of the public reads is only ` + "`{\"error\": \"Too Many Requests\"}`" + `.
- A template that does not validate carries ` + "`data.validation.issues`" + `.
- Every answer has the header ` + "`X-Request-Id`" + `. Quote it when you report a 500: its cause is in the log under that id.

## Codes

| errorCode | HTTP | slug | meaning |
| --- | --- | --- | --- |
`)
	codes := atelier.Codes()
	slices.SortFunc(codes, func(a, b atelier.Code) int { return a.Number - b.Number })
	for _, c := range codes {
		fmt.Fprintf(&b, "| %d | %d | `%s` | %s |\n", c.Number, endpoint.Status(c.Kind), c.Slug, c.Sentence)
	}
	return b.String()
}
