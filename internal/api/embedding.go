package api

import (
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
)

// embeddingRequest is the body of POST /v1/embeddings.
type embeddingRequest struct {
	openai.EmbeddingBody
	endpoint.Source
}

// vectorCost is the memory of a vector in an answer.
const vectorCost = 128 << 10

func (s *Server) embed(c *endpoint.Call, q embeddingRequest) (openai.EmbeddingReply, error) {
	r, err := q.Request(c.Caller, protocolTerms(q.Source, "openai"))
	if err != nil {
		return openai.EmbeddingReply{}, err
	}
	if err := c.Reserve(int64(r.Count) * vectorCost); err != nil {
		return openai.EmbeddingReply{}, err
	}
	made, err := s.chat.Embed(c, r)
	return openai.NewEmbeddingReply(made), err
}
