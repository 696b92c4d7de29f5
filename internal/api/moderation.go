package api

import (
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/openai"
)

// moderationRequest is the body of POST /v1/moderations.
type moderationRequest struct {
	openai.ModerationBody
	endpoint.Source
}

// moderate says what the content filter finds in texts.
func (s *Server) moderate(c *endpoint.Call, q moderationRequest) (openai.Moderation, error) {
	reply := openai.Moderation{ID: "modr-" + mint.UUID(), Model: openai.ModerationModel}
	texts, err := q.Texts()
	if err != nil {
		return reply, err
	}
	for _, text := range texts {
		verdict, err := s.chat.Moderate(c, text)
		if err != nil {
			return reply, err
		}
		reply.Results = append(reply.Results, openai.NewModerationResult(verdict.Flagged, verdict.Categories))
	}
	return reply, nil
}
