package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

type modelName struct {
	Name string `path:"name" example:"z_image_turbo_bf16"`
}

func (s *Server) modelFolders(c *endpoint.Call, q modelName) (apitype.ModelFolders, error) {
	return s.operator(c).ModelFolders(c, q.Name)
}

type newPullRequest struct {
	Name string `path:"name" example:"z_image_turbo_bf16"`
	apitype.NewPull
}

func (s *Server) pullModel(c *endpoint.Call, q newPullRequest) (apitype.PullReply, error) {
	p, err := s.operator(c).PullModel(c, q.Name, q.NewPull)
	return apitype.PullReply{Pull: p}, err
}

type cancelPullRequest struct {
	Name         string `path:"name" example:"z_image_turbo_bf16"`
	ConnectionID string `wire:"connectionId,maxlen=100" doc:"The ComfyUI that needs the files. May be left out where they are fetched for one."`
	Reason       string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) cancelPull(c *endpoint.Call, q cancelPullRequest) (apitype.PullReply, error) {
	p, err := s.operator(c).CancelPull(c, q.Name, q.ConnectionID, q.Reason)
	return apitype.PullReply{Pull: p}, err
}
