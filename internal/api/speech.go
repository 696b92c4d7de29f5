package api

import (
	"bytes"
	"io"
	"net/http"

	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/workflow"
)

// speechRequest is the body of POST /v1/audio/speech.
type speechRequest struct {
	openai.SpeechBody
	endpoint.Source
}

// speak answers with the file of a spoken text.
func (s *Server) speak(c *endpoint.Call, q speechRequest) error {
	steps, err := q.Steps(s.catalog, s.aliases)
	if err != nil {
		return err
	}
	w, err := s.generations.Make(c, c.Caller.Account, workflow.StartRequest{
		Steps: steps, Terms: protocolTerms(q.Source, "openai"), Key: c.Key, Weigh: weighStart(c, planUnit), Filter: true,
	}.By(c.Caller), func(generation.Progress) error { return c.Err() })
	if err != nil {
		return openai.SpeechRefusal(err)
	}
	if len(w.Artifacts) == 0 {
		return errNothingMade(w)
	}
	file, object, err := s.generations.Open(c, w.Artifacts[0].URL)
	if err != nil {
		return err
	}
	defer file.Close()
	content, contentType := io.Reader(file), object.ContentType
	if q.Format == "pcm" {
		if err := c.Reserve(min(2*object.Size, mostSamples)); err != nil {
			return err
		}
		sound, err := wav.Read(file, pcm.MaxSamples)
		if err != nil {
			return err
		}
		content, contentType = bytes.NewReader(openai.Samples(sound)), "audio/pcm"
	}
	if q.StreamFormat == "sse" {
		return streamSpeech(c, content)
	}
	h := c.Response.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	c.Response.WriteHeader(http.StatusOK)
	_, _ = io.Copy(c.Response, content) // the reader may have left
	return nil
}

// mostSamples bounds what is reserved for the samples of a speech, which are in memory twice. Much more is not reserved
// for any account.
const mostSamples = 32 << 20

// speechPiece is how much of a file an event has.
const speechPiece = 48 << 10

// streamSpeech sends a file in events.
func streamSpeech(c *endpoint.Call, file io.Reader) error {
	out := c.OpenStream()
	piece := make([]byte, speechPiece)
	for {
		n, err := io.ReadFull(file, piece)
		if n > 0 && !out.Data(openai.SpeechEvent{Type: "speech.audio.delta", Audio: piece[:n]}) {
			return nil
		}
		if err != nil { // the file has ended; one that cannot be read ends here too, without the last event
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				out.Data(openai.SpeechEvent{Type: "speech.audio.done", Usage: &openai.SpeechUsage{}})
			}
			return nil
		}
	}
}
