package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/media"
)

// assetsReply is GET /v1/assets.
type assetsReply struct {
	Assets []library.Upload  `json:"assets"`
	Limits media.AssetLimits `json:"limits"`
}

// assetsRequest is the query of GET /v1/assets.
type assetsRequest struct {
	Text string `wire:"q,maxlen=200" doc:"Words that the name or the tags must contain."`
	markedRequest
}

func (s *Server) listAssets(c *endpoint.Call, q assetsRequest) (assetsReply, error) {
	limits := s.media.AssetLimits()
	if err := c.Reserve(int64(limits.Entries) * library.MarksMemory); err != nil {
		return assetsReply{}, err
	}
	assets, err := s.library.Uploads(c, c.Caller.Wallet, q.Text, q.marked())
	return assetsReply{assets, limits}, err
}

// assetCapabilities is GET /v1/assets/capabilities.
type assetCapabilities struct {
	Enabled bool              `json:"enabled"`
	Limits  media.AssetLimits `json:"limits"`
}

func (s *Server) assetCapabilities(c *endpoint.Call, _ endpoint.Empty) (assetCapabilities, error) {
	enabled, err := s.media.AssetsEnabled(c, c.Caller.Wallet)
	return assetCapabilities{enabled, s.media.AssetLimits()}, err
}

type prepareRequest struct {
	SHA256      string `wire:"sha256,required" doc:"SHA-256 of the file, in lower-case hexadecimal."`
	Bytes       int64  `wire:"bytes,required,min=1" doc:"Size of the file."`
	ContentType string `wire:"contentType,required" doc:"Type of the file."`
	Name        string `wire:"name,maxlen=80" doc:"A display name."`
}

func (s *Server) prepareAsset(c *endpoint.Call, q prepareRequest) (media.PreparedAsset, error) {
	return s.media.Prepare(c, c.Caller.Wallet, media.NewAsset{SHA256: q.SHA256, Bytes: q.Bytes, ContentType: q.ContentType, Name: q.Name})
}

type assetRequest struct {
	ID string `path:"id"`
}

func (s *Server) finalizeAsset(c *endpoint.Call, q assetRequest) (media.AssetRecord, error) {
	return s.media.Finalize(c, c.Caller.Wallet, q.ID)
}

type bindRequest struct {
	AssetID   string `path:"id"`
	ProjectID string `wire:"projectId,required" doc:"UUID of the project that will be submitted."`
	Type      string `wire:"type,required" doc:"An image input type, referenceVideo or referenceAudio."`
	ID        string `wire:"id" doc:"A numbered slot, such as referenceVideo2."`
}

func (s *Server) bindAsset(c *endpoint.Call, q bindRequest) (media.Bound, error) {
	return s.media.Bind(c, c.Caller.Wallet, media.Binding{AssetID: q.AssetID, ProjectID: atelier.ProjectID(q.ProjectID), Type: q.Type, ID: q.ID})
}

func (s *Server) deleteAsset(c *endpoint.Call, q assetRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.media.DeleteAsset(c, c.Caller.Wallet, q.ID)
}
