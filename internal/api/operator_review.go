package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"

	"github.com/atelier-project/atelier/internal/wire"
)

type operatorLorasRequest struct {
	Status atelier.LoraStatus `wire:"status,enum=queued|validating|review|ready|rejected|revoked" doc:"Only those in this status."`
	Wallet string             `wire:"wallet,maxlen=64" doc:"Only those of this account, by its wallet or username."`
	operatorPage
}

func (s *Server) operatorLoras(c *endpoint.Call, q operatorLorasRequest) (apitype.OperatorLoras, error) {
	return s.operator(c).Loras(c, apitype.LoraQuery{Status: q.Status, Wallet: q.Wallet, Page: q.page()})
}

func (s *Server) operatorLora(c *endpoint.Call, q loraID) (apitype.OperatorLoraReply, error) {
	l, err := s.operator(c).Lora(c, atelier.LoraID(q.ID))
	return apitype.OperatorLoraReply{Lora: l}, err
}

type reviewLoraRequest struct {
	ID      string `path:"id" example:"personal-3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Release bool   `wire:"release" doc:"True: it can be used again. False: it is held back, so that no render uses it."`
	Reason  string `wire:"reason,maxlen=500" doc:"Why, for its owner and for the list of actions."`
}

func (s *Server) reviewLora(c *endpoint.Call, q reviewLoraRequest) (apitype.OperatorLoraReply, error) {
	l, err := s.operator(c).ReviewLora(c, atelier.LoraID(q.ID), q.Release, q.Reason)
	return apitype.OperatorLoraReply{Lora: l}, err
}

type revokeLoraRequest struct {
	ID     string `path:"id" example:"personal-3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Reason string `wire:"reason,maxlen=500" doc:"Why, for its owner and for the list of actions."`
}

func (s *Server) revokeLora(c *endpoint.Call, q revokeLoraRequest) (apitype.OperatorLoraReply, error) {
	l, err := s.operator(c).RevokeLora(c, atelier.LoraID(q.ID), q.Reason)
	return apitype.OperatorLoraReply{Lora: l}, err
}

type publishRequest struct {
	Template map[string]wire.Raw `wire:"template,required,maxbytes=2097152" doc:"The template, as a request that creates one has it. When its id is public already, it becomes the next version."`
	Replaces *string             `wire:"replaces,maxlen=64" doc:"The version of the public template that this one replaces; empty when no public template has this id. If another version is public, nothing is published (409)."`
	Reason   string              `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) publishTemplate(c *endpoint.Call, q publishRequest) (apitype.PublishedTemplateReply, error) {
	t, err := s.operator(c).ReplaceTemplate(c, q.Template, q.Replaces, q.Reason)
	return apitype.PublishedTemplateReply{Template: t}, err
}

type withdrawRequest struct {
	ID     string `path:"id" example:"wf_morning_fox"`
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) withdrawTemplate(c *endpoint.Call, q withdrawRequest) (apitype.WithdrawnTemplate, error) {
	return s.operator(c).WithdrawTemplate(c, q.ID, q.Reason)
}

func (s *Server) filterReviews(c *endpoint.Call, q operatorPage) (apitype.FilterReviews, error) {
	return s.operator(c).FilterReviews(c, q.page())
}

type judgeRequest struct {
	ID      string          `path:"id"`
	Verdict apitype.Verdict `wire:"verdict,required,enum=upheld|overturned" doc:"Whether the refusal was right; overturned for a false alarm."`
	Note    string          `wire:"note,maxlen=500" doc:"A note for other operators."`
}

func (s *Server) judgeRefusal(c *endpoint.Call, q judgeRequest) (apitype.FilterReviewReply, error) {
	r, err := s.operator(c).JudgeRefusal(c, q.ID, q.Verdict, q.Note)
	return apitype.FilterReviewReply{FilterReview: r}, err
}
