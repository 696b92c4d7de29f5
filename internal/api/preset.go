package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/endpoint"
)

type presetsRequest struct {
	Kind string `wire:"kind,required,enum=style|view" example:"style" doc:"What the presets are for."`
}

func (s *Server) listPresets(c *endpoint.Call, q presetsRequest) (apitype.Presets, error) {
	if err := c.Reserve(account.PresetsMemory); err != nil {
		return apitype.Presets{}, err
	}
	return s.accounts.Presets(c, c.Caller.Wallet, q.Kind)
}

type presetRequest struct {
	Kind  string `path:"kind" example:"style"`
	Name  string `path:"name" example:"Oil"`
	Value string `wire:"value,required,minlen=1,maxlen=1000" doc:"The words that a style adds to a prompt, or the query of a view, as the list of workflows takes it."`
}

func (s *Server) putPreset(c *endpoint.Call, q presetRequest) (apitype.PresetReply, error) {
	p, err := s.accounts.PutPreset(c, c.Caller.Wallet, q.Kind, q.Name, q.Value)
	return apitype.PresetReply{Preset: p}, err
}

type presetID struct {
	Kind string `path:"kind" example:"style"`
	Name string `path:"name" example:"Oil"`
}

func (s *Server) deletePreset(c *endpoint.Call, q presetID) (apitype.DeletedPreset, error) {
	return s.accounts.DeletePreset(c, c.Caller.Wallet, q.Kind, q.Name)
}
