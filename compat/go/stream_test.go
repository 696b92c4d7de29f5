package compat_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// gather reads a stream to its end with the SDK's own accumulator.
func gather(t *testing.T, q openai.ChatCompletionNewParams, options ...option.RequestOption) (*openai.ChatCompletionAccumulator, []openai.ChatCompletionChunk) {
	t.Helper()
	return follow(t, q, func(openai.ChatCompletionChunk) {}, options...)
}

// follow is gather, and calls a function with each chunk before it reads on.
func follow(t *testing.T, q openai.ChatCompletionNewParams, each func(openai.ChatCompletionChunk), options ...option.RequestOption) (*openai.ChatCompletionAccumulator, []openai.ChatCompletionChunk) {
	t.Helper()
	client := newClient(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), q, options...)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	var chunks []openai.ChatCompletionChunk
	for stream.Next() {
		chunks = append(chunks, stream.Current())
		if !all.AddChunk(stream.Current()) {
			t.Fatalf("the SDK cannot add the chunk %s", stream.Current().RawJSON())
		}
		each(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatalf("stream: %v", detail(err))
	}
	return &all, chunks
}

func TestStream(t *testing.T) {
	t.Parallel()
	key := rand.Text()
	q := scripted("steps " + key + " The| quick| brown| fox| jumps")
	q.StreamOptions.IncludeUsage = openai.Bool(true)
	var pieces []string
	all, chunks := follow(t, q, func(c openai.ChatCompletionChunk) {
		if len(c.Choices) == 0 || c.Choices[0].Delta.Content == "" {
			return
		}
		if pieces = append(pieces, c.Choices[0].Delta.Content); len(pieces) < 5 {
			upstream(t, "/next/"+key) // which the model says no sooner
		}
	})
	equal(t, "content", all.Choices[0].Message.Content, "The quick brown fox jumps")
	equal(t, "finish reason", all.Choices[0].FinishReason, "stop")
	equal(t, "completion tokens", all.Usage.CompletionTokens, 5)
	equal(t, "total tokens", all.Usage.TotalTokens, 16)
	equal(t, "pieces", strings.Join(pieces, "|"), "The| quick| brown| fox| jumps")
	for _, c := range chunks {
		equal(t, "id of a chunk", c.ID, chunks[0].ID)
		equal(t, "object of a chunk", string(c.Object), "chat.completion.chunk")
	}
}

func TestStreamOfPicture(t *testing.T) {
	t.Parallel()
	all, chunks := gather(t, openai.ChatCompletionNewParams{
		Model: "atelier-builtin", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("make an image of a red fox")},
	})
	checkPicture(t, all.Choices[0].Message.Content)
	told := 0
	for _, c := range chunks {
		if len(c.Choices) > 0 && c.Choices[0].Delta.JSON.ExtraFields["svc_tool_progress"].Raw() != "" {
			told++
		}
	}
	if told < 2 {
		t.Errorf("progress was told %d times, want at least 2", told)
	}
}

func TestStreamIsLeft(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"cancel", "close"} {
		key := unused()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		client := newClient(t)
		stream := client.Chat.Completions.NewStreaming(ctx, scripted("endless "+key))
		for n := 0; n < 4; n++ {
			if !stream.Next() {
				t.Fatalf("the stream ended: %v", stream.Err())
			}
		}
		if way == "cancel" {
			cancel()
			for stream.Next() {
			}
			if err := stream.Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel: got %v, want context.Canceled", err)
			}
		}
		stream.Close()
		upstream(t, "/gone/"+key) // waits for it
	}
}

func TestStreamBreaks(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"break Half of", "hang up Half of"} {
		client := newClient(t)
		stream := client.Chat.Completions.NewStreaming(t.Context(), scripted(script))
		text := ""
		for stream.Next() {
			text += stream.Current().Choices[0].Delta.Content
		}
		equal(t, "content before it broke", text, "Half of")
		var broken *ssestream.StreamError
		if err := stream.Err(); !errors.As(err, &broken) || !strings.Contains(broken.Message, "model server failed") && !strings.Contains(broken.Message, "model server stopped") {
			t.Errorf("%s: got %v, want a StreamError that names the model server", script, err)
		}
		stream.Close()
	}
}

var embedded = regexp.MustCompile(`!\[[^\]]*\]\((\S+)\)`)

// checkPicture fetches the image that Markdown embeds.
func checkPicture(t *testing.T, markdown string) {
	t.Helper()
	found := embedded.FindStringSubmatch(markdown)
	if found == nil {
		t.Fatalf("no image is embedded in %q", markdown)
	}
	response, err := http.Get(found[1])
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	head := make([]byte, 8)
	if _, err := io.ReadFull(response.Body, head); err != nil || string(head) != "\x89PNG\r\n\x1a\n" {
		t.Errorf("%s: got %s and %q (%v), want a PNG", found[1], response.Status, head, err)
	}
}
