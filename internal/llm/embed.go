package llm

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Embedder makes vectors of texts: a model server.
type Embedder interface {
	Embed(ctx context.Context, r EmbedRequest) (Embeddings, error)
}

// EmbedRequest asks for vectors.
type EmbedRequest struct {
	Model      Model
	Input      wire.Raw // texts or tokens, in OpenAI's shape
	Dimensions int      // of the vectors; 0: the model's own
	Format     string   // float or base64; empty: the server's own
}

// Embeddings are vectors.
type Embeddings struct {
	Data  wire.Raw // as the server has sent them
	Usage *Usage   // nil when the server does not report it
}

// maxEmbeddings bounds the answer of a server.
const maxEmbeddings = 32 << 20

// sentEmbedding is a request as servers read it.
type sentEmbedding struct {
	Model      string   `json:"model"`
	Input      wire.Raw `json:"input"`
	Dimensions int      `json:"dimensions,omitzero"`
	Format     string   `json:"encoding_format,omitzero"`
}

// Embed implements Embedder: one attempt at this server.
func (u *Upstream) Embed(ctx context.Context, r EmbedRequest) (Embeddings, error) {
	id := r.Model.ID
	if own := u.opts.IDs[id]; own != "" {
		id = own
	}
	body, err := wire.Marshal(sentEmbedding{id, r.Input, r.Dimensions, r.Format})
	if err != nil {
		return Embeddings{}, err
	}
	text, err := u.post(ctx, Exchange{Operation: "embeddings", Model: r.Model.ID}, "/embeddings", "application/json", body, maxEmbeddings, func() error {
		return errCannot(r.Model, "The server of the model %s makes no embeddings with it.")
	})
	if err != nil {
		return Embeddings{}, err
	}
	var answer struct {
		Data  wire.Raw       `json:"data"`
		Usage *responseUsage `json:"usage"`
	}
	if wire.Unmarshal(text, &answer) != nil || len(answer.Data) == 0 || answer.Data[0] != '[' {
		return Embeddings{}, u.failed(ctx, atelier.Errorf(atelier.CodeUpstream, "The model server sent no embeddings."))
	}
	u.breaker.succeeded()
	out := Embeddings{Data: answer.Data}
	if answer.Usage != nil {
		out.Usage = &Usage{PromptTokens: answer.Usage.PromptTokens}
	}
	return out, nil
}

// Embed implements Embedder: it asks the servers of the model in turn.
func (r *Router) Embed(ctx context.Context, q EmbedRequest) (out Embeddings, err error) {
	err = r.tryEach(ctx, func(s Completer) (final bool, err error) {
		server, ok := s.(Embedder)
		if !ok {
			return true, errCannot(q.Model, noEmbeddings)
		}
		out, err = server.Embed(ctx, q)
		return false, err
	})
	return out, err
}

// EmbedWith makes vectors with a model, if it can.
func EmbedWith(ctx context.Context, r EmbedRequest) (Embeddings, error) {
	server, ok := r.Model.Completer.(Embedder)
	if !ok {
		return Embeddings{}, errCannot(r.Model, noEmbeddings)
	}
	return server.Embed(ctx, r)
}

const noEmbeddings = "The model %s makes no embeddings."
