package api

import (
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/media"
)

// mediaRequest is the query of the media URL reads.
type mediaRequest struct {
	Type        string `wire:"type,required" example:"referenceVideo" doc:"What is uploaded: referenceAudio or referenceVideo; complete or preview for workers."`
	JobID       string `wire:"jobId,required" example:"3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604" doc:"The project it is for. The first account that names an id owns it."`
	ID          string `wire:"id" doc:"The artifact of a worker's upload; a numbered slot such as referenceVideo2 otherwise."`
	ContentType string `wire:"contentType" doc:"The only content type that the form then accepts."`
}

func (q mediaRequest) request() media.UploadRequest {
	return media.UploadRequest{Endpoint: media.MediaEndpoint, Type: q.Type, ProjectID: atelier.ProjectID(q.JobID), ID: q.ID, ContentType: q.ContentType}
}

// imageRequest is the query of the image URL reads.
type imageRequest struct {
	Type        string `wire:"type,required" example:"startingImage" doc:"What is uploaded: startingImage, cnImage, contextImage1 to contextImage16, referenceImage, referenceImageEnd or referenceMask; complete or preview for workers."`
	JobID       string `wire:"jobId,required" example:"3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604" doc:"The project it is for. The first account that names an id owns it."`
	ImageID     string `wire:"imageId" doc:"The artifact of a worker's upload; ignored for the other types."`
	ContentType string `wire:"contentType" doc:"The only content type that the form then accepts."`
}

func (q imageRequest) request() media.UploadRequest {
	return media.UploadRequest{Endpoint: media.ImageEndpoint, Type: q.Type, ProjectID: atelier.ProjectID(q.JobID), ID: q.ImageID, ContentType: q.ContentType}
}

// downloadReply has the URL of a file.
type downloadReply struct {
	DownloadURL string `json:"downloadUrl"`
}

func (s *Server) mediaUpload(c *endpoint.Call, q mediaRequest) (media.UploadForm, error) {
	return s.uploadURL(c, q.request())
}

func (s *Server) imageUpload(c *endpoint.Call, q imageRequest) (media.UploadForm, error) {
	return s.uploadURL(c, q.request())
}

// uploadURL asks the fleet for what workers make, and media for the rest.
func (s *Server) uploadURL(c *endpoint.Call, r media.UploadRequest) (media.UploadForm, error) {
	if r.IsResult() {
		return s.fleet.UploadURL(c, c.Caller, r)
	}
	return s.media.UploadURL(c, c.Caller, r)
}

type mediaDownloadRequest struct {
	mediaRequest
	Artifact string `wire:"artifact,enum=lastFrame" doc:"The exported last frame of a video that requested one."`
}

func (s *Server) mediaDownload(c *endpoint.Call, q mediaDownloadRequest) (downloadReply, error) {
	return s.downloadURL(c, media.DownloadRequest{UploadRequest: q.request(), Artifact: q.Artifact})
}

func (s *Server) imageDownload(c *endpoint.Call, q imageRequest) (downloadReply, error) {
	return s.downloadURL(c, media.DownloadRequest{UploadRequest: q.request()})
}

func (s *Server) downloadURL(c *endpoint.Call, r media.DownloadRequest) (downloadReply, error) {
	sign := s.media.DownloadURL
	if r.IsResult() {
		sign = s.fleet.DownloadURL
	}
	url, err := sign(c, c.Caller, r)
	return downloadReply{url}, err
}

// serveStorage serves clients that have a signed form or URL, when media is on this
// machine's disk.
func (s *Server) serveStorage(w http.ResponseWriter, r *http.Request) error {
	return s.storage(w, r, r.PathValue("key"))
}
