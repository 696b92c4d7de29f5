package llm

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/url"

	"github.com/atelier-project/atelier/internal/wire"
)

// Transcriber makes text of speech: a model server.
type Transcriber interface {
	Transcribe(ctx context.Context, r TranscribeRequest) (Transcript, error)
}

// TranscribeRequest is speech to be made into text.
type TranscribeRequest struct {
	Model     Model
	Translate bool       // into English
	IsJSON    bool       // the answer is to be JSON
	Name      string     // of the file, whose ending some servers read
	Audio     []byte     // the file
	Fields    url.Values // of the form, besides the file and the model
}

// Transcript is what was said, as the server has sent it: JSON, a text or subtitles.
type Transcript struct {
	Content []byte
	Text    string // what was said, as far as it can be read
	Usage   *Usage // nil when the server does not report it
}

// maxTranscript bounds the answer of a server.
const maxTranscript = 8 << 20

// Transcribe implements Transcriber: one attempt at this server.
func (u *Upstream) Transcribe(ctx context.Context, r TranscribeRequest) (Transcript, error) {
	id := r.Model.ID
	if own := u.opts.IDs[id]; own != "" {
		id = own
	}
	var body bytes.Buffer
	body.Grow(len(r.Audio) + 4<<10)
	form := multipart.NewWriter(&body)
	if err := form.WriteField("model", id); err != nil {
		return Transcript{}, err
	}
	for name, values := range r.Fields {
		for _, v := range values {
			if err := form.WriteField(name, v); err != nil {
				return Transcript{}, err
			}
		}
	}
	file, err := form.CreateFormFile("file", r.Name)
	if err == nil {
		_, err = file.Write(r.Audio)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return Transcript{}, err
	}
	path := "/audio/transcriptions"
	if r.Translate {
		path = "/audio/translations"
	}
	content, err := u.post(ctx, Exchange{Operation: "transcription", Model: r.Model.ID}, path, form.FormDataContentType(), body.Bytes(), maxTranscript, func() error { return errCannot(r.Model, noTranscripts) })
	if err != nil {
		return Transcript{}, err
	}
	out := Transcript{Content: content, Text: string(content)}
	if r.IsJSON {
		var answer struct {
			Text  string `json:"text"`
			Usage *struct {
				Input  int `json:"input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"usage"`
		}
		if err := wire.UnmarshalLenient(content, &answer); err != nil {
			return Transcript{}, u.failed(ctx, invalidAnswer("it is not JSON"))
		}
		out.Text = answer.Text
		if a := answer.Usage; a != nil && a.Input > 0 {
			out.Usage = &Usage{PromptTokens: a.Input, CompletionTokens: a.Output}
		}
	}
	return out, nil
}

// Transcribe implements Transcriber: it asks the servers of the model in turn.
func (r *Router) Transcribe(ctx context.Context, q TranscribeRequest) (out Transcript, err error) {
	err = r.tryEach(ctx, func(s Completer) (final bool, err error) {
		server, ok := s.(Transcriber)
		if !ok {
			return true, errCannot(q.Model, noTranscripts)
		}
		out, err = server.Transcribe(ctx, q)
		return false, err
	})
	return out, err
}

// TranscribeWith transcribes speech with a model, if it can.
func TranscribeWith(ctx context.Context, r TranscribeRequest) (Transcript, error) {
	server, ok := r.Model.Completer.(Transcriber)
	if !ok {
		return Transcript{}, errCannot(r.Model, noTranscripts)
	}
	return server.Transcribe(ctx, r)
}

const noTranscripts = "The model %s does not transcribe speech."
