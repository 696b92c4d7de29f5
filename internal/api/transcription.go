package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/wire"
)

// transcriptionForm bounds a form with a file of sound.
var transcriptionForm = wire.Bounds{Text: 26 << 20}

// transcriptionRequest is the form of POST /v1/audio/transcriptions and /v1/audio/translations.
type transcriptionRequest struct {
	openai.TranscriptionBody
	endpoint.Source
}

func (s *Server) transcribe(c *endpoint.Call, q transcriptionRequest, files []endpoint.FormFile) (*openai.Transcript, error) {
	return s.answerTranscript(c, q, files, false)
}

func (s *Server) translate(c *endpoint.Call, q transcriptionRequest, files []endpoint.FormFile) (*openai.Transcript, error) {
	return s.answerTranscript(c, q, files, true)
}

// answerTranscript answers with the transcript that the server of a model has made, as it is.
func (s *Server) answerTranscript(c *endpoint.Call, q transcriptionRequest, files []endpoint.FormFile, translate bool) (*openai.Transcript, error) {
	switch {
	case len(files) == 0:
		return nil, atelier.Refuse("file", "is required: send it as a file.")
	case len(files) > 1 || files[0].Field != "file":
		return nil, atelier.Refuse(files[len(files)-1].Field, "is not a file that this endpoint takes: it takes one, file.")
	}
	r, err := q.Request(c.Caller, protocolTerms(q.Source, "openai"), files[0].Name, files[0].Data)
	if err != nil {
		return nil, err
	}
	r.Translate = translate
	made, err := s.chat.Transcribe(c, r)
	if err != nil {
		return nil, err
	}
	contentType := "text/plain; charset=utf-8"
	if r.IsJSON {
		contentType = "application/json"
	}
	_, err = c.BeginAnswer(contentType).Write(made.Content)
	return nil, err
}
