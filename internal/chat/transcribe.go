package chat

import (
	"bytes"
	"context"
	"math"
	"net/url"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/probe"
)

// TranscribeRequest is speech to be made into text.
type TranscribeRequest struct {
	ID        string
	Caller    atelier.Caller
	Model     string
	Translate bool // into English
	IsJSON    bool // the answer is to be JSON
	Name      string
	Audio     []byte
	Fields    url.Values // of the form that the server gets
	Terms     atelier.PaymentTerms
}

// What sound counts as, in tokens for a second. A minute of speech has some 200 words, and a server that counts tokens
// itself counts about a thousand for a minute.
const (
	heardTokens   = 1000.0 / 60
	writtenTokens = 10
	leastBytes    = 2000 // of a second of sound, where its length is not known
)

// Transcribe makes text of speech. It is paid for as a round of a conversation is.
func (e *Engine) Transcribe(ctx context.Context, q TranscribeRequest) (llm.Transcript, error) {
	model, err := e.findModelFor(q.Caller, q.Model)
	if err != nil {
		return llm.Transcript{}, err
	}
	seconds, err := lengthOf(ctx, q.Audio)
	if err != nil {
		return llm.Transcript{}, err
	}
	heard, written := int(math.Ceil(seconds*heardTokens)), int(math.Ceil(seconds*writtenTokens))+64
	o := once{
		meter:  e.newMeter(model, q.Caller, q.ID, q.Terms),
		likely: llm.Usage{PromptTokens: heard, CompletionTokens: written / 4}, most: llm.Usage{PromptTokens: heard, CompletionTokens: written},
	}
	var made llm.Transcript
	_, err = o.pay(ctx, func() (*llm.Usage, error) {
		made, err = llm.TranscribeWith(ctx, llm.TranscribeRequest{Model: model, Translate: q.Translate, IsJSON: q.IsJSON, Name: q.Name, Audio: q.Audio, Fields: q.Fields})
		if err == nil && (made.Usage == nil || !o.isPossible(*made.Usage)) {
			made.Usage = new(spoken(seconds, made.Text))
		}
		return made.Usage, err
	})
	return made, err
}

// mostSpoken is how many tokens a second of speech has at most. A file with more of them lasts longer than its header
// claims.
const mostSpoken = 2 * writtenTokens

// spoken is what speech and its text count as, where the server does not count.
func spoken(seconds float64, text string) llm.Usage {
	written := llm.Measure(text).Likely
	seconds = max(seconds, float64(written)/mostSpoken)
	return llm.Usage{PromptTokens: int(math.Ceil(seconds * heardTokens)), CompletionTokens: written}
}

// lengthOf is how many seconds a file of sound lasts, or may last at most. Its header may claim anything, but no sound
// has less than a byte for each second.
func lengthOf(ctx context.Context, file []byte) (float64, error) {
	kind := filetype.Detect(file[:min(len(file), filetype.HeadSize)])
	if !strings.HasPrefix(kind, "audio/") && !strings.HasPrefix(kind, "video/") && !bytes.HasPrefix(file, []byte("OggS")) {
		return 0, atelier.Refuse("file", "must be sound: MP3, WAV, FLAC, MP4, OGG or WebM.")
	}
	x, err := probe.Measure(ctx, bytes.NewReader(file))
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil || x.Seconds <= 0 {
		return float64(len(file)) / leastBytes, nil
	}
	return min(x.Seconds, float64(len(file))), nil
}
