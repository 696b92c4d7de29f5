package api

import (
	"io"
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/workflow"
)

// createVideoRequest is the form of POST /v1/videos.
type createVideoRequest struct {
	openai.VideoBody
	endpoint.Source
}

func (s *Server) createVideo(c *endpoint.Call, q createVideoRequest, files []endpoint.FormFile) (openai.Video, error) {
	var media []atelier.MediaReference
	switch {
	case len(files) > 1 || len(files) == 1 && (files[0].Field != "input_reference" || q.ImageURL != ""):
		return openai.Video{}, atelier.Refuse(files[len(files)-1].Field, "is not a file that this endpoint takes: it takes one picture, input_reference.")
	case len(files) == 1:
		kept, err := s.generations.Keep(c, c.Caller.Wallet, files[0].Data)
		if err != nil {
			return openai.Video{}, aboutFile(err, files[0].Field)
		}
		media = append(media, kept)
	case q.ImageURL != "":
		media = append(media, atelier.MediaAt("image", q.ImageURL))
	}
	c.ReleaseValues()
	steps, err := q.Steps(s.catalog, s.aliases, len(media) > 0)
	if err != nil {
		return openai.Video{}, err
	}
	return s.startVideo(c, workflow.StartRequest{Steps: steps, Media: media, Terms: protocolTerms(q.Source, "openai")})
}

// startVideo starts the workflow of a clip.
func (s *Server) startVideo(c *endpoint.Call, q workflow.StartRequest) (openai.Video, error) {
	q.Key, q.Weigh, q.Filter = c.Key, weighStart(c, planUnit), true
	w, err := s.generations.Begin(c, c.Caller.Account, q.By(c.Caller))
	if err != nil {
		return openai.Video{}, openai.VideoRefusal(err)
	}
	v, _ := openai.NewVideo(s.catalog, w)
	return v, nil
}

// video reads a clip of the account, and the workflow that makes it.
func (s *Server) video(c *endpoint.Call, id atelier.WorkflowID) (v openai.Video, w apitype.Workflow, err error) {
	if w, err = s.workflows.Workflow(c, c.Caller.Wallet, id); err == nil {
		var ok bool
		if v, ok = openai.NewVideo(s.catalog, w); ok {
			return v, w, nil
		}
	}
	if err == nil || atelier.HasCode(err, atelier.CodeNotFound) {
		err = atelier.Missing("id", string(id), "video")
	}
	return v, w, err
}

func (s *Server) readVideo(c *endpoint.Call, q workflowRequest) (openai.Video, error) {
	v, _, err := s.video(c, q.ID)
	return v, err
}

// videosRequest is the query of GET /v1/videos.
type videosRequest struct {
	After string `wire:"after,maxlen=200" doc:"The id of the last video of the page before."`
	Limit int    `wire:"limit,default=20,min=1,max=100" doc:"How many to list at most."`
	Order string `wire:"order,enum=desc,default=desc" doc:"The newest come first."`
}

func (s *Server) listVideos(c *endpoint.Call, q videosRequest) (openai.List[openai.Video], error) {
	var after *workflow.Position
	if q.After != "" {
		_, w, err := s.video(c, atelier.WorkflowID(q.After))
		if err != nil {
			return openai.List[openai.Video]{}, atelier.Refuse("after", "must be the id of a video that exists.")
		}
		after = &workflow.Position{CreatedAt: time.UnixMilli(w.CreateTime), ID: atelier.WorkflowID(w.WorkflowID)}
	}
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return openai.List[openai.Video]{}, err
	}
	list, more, err := s.workflows.Select(c, c.Caller.Wallet, workflow.Filter{Kinds: []string{string(catalog.Video)}}, after, q.Limit)
	data := []openai.Video{}
	for _, w := range list {
		if v, ok := openai.NewVideo(s.catalog, w); ok {
			data = append(data, v)
		}
	}
	return openai.NewList(data, more, func(v openai.Video) string { return v.ID }), err
}

func (s *Server) deleteVideo(c *endpoint.Call, q workflowRequest) (openai.Deleted, error) {
	if _, _, err := s.video(c, q.ID); err != nil {
		return openai.Deleted{}, err
	}
	err := s.workflows.Delete(c, c.Caller.Wallet, q.ID)
	return openai.Deleted{ID: string(q.ID), Object: "video.deleted", Deleted: err == nil}, err
}

// remixVideoRequest is the body of POST /v1/videos/{id}/remix.
type remixVideoRequest struct {
	ID atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	openai.RemixBody
	endpoint.Source
}

func (s *Server) remixVideo(c *endpoint.Call, q remixVideoRequest) (openai.Video, error) {
	clip, err := s.clip(c, q.ID)
	if err != nil {
		return openai.Video{}, err
	}
	return s.startVideo(c, workflow.StartRequest{Steps: q.Steps(), Media: []atelier.MediaReference{openai.RemixedMedia(string(q.ID), clip.URL)}, Terms: protocolTerms(q.Source, "openai")})
}

// clip is the result of a video of the account.
func (s *Server) clip(c *endpoint.Call, id atelier.WorkflowID) (apitype.Artifact, error) {
	v, w, err := s.video(c, id)
	if err != nil {
		return apitype.Artifact{}, err
	}
	clip, made := openai.ResultClip(w)
	if !made || v.Status != "completed" {
		return clip, atelier.Errorf(atelier.CodeWrongState, "The video is %s: it has no clip.", v.Status)
	}
	return clip, nil
}

// videoContentRequest is the query of GET /v1/videos/{id}/content.
type videoContentRequest struct {
	ID      atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Variant string             `wire:"variant,enum=video|thumbnail,default=video" doc:"The clip, or a JPEG of its first frame."`
}

// videoThumbnail is the longer edge of a thumbnail.
const videoThumbnail = 640

func (s *Server) videoContent(c *endpoint.Call, q videoContentRequest) error {
	clip, err := s.clip(c, q.ID)
	if err != nil {
		return err
	}
	if q.Variant == "thumbnail" {
		file, object, err := s.library.OwnThumbnail(c, c.Caller.Wallet, clip.ID, videoThumbnail)
		if err != nil {
			return err
		}
		return sendFile(c, file, object.ContentType, object.ModTime)
	}
	file, object, err := s.generations.Open(c, clip.URL)
	if err != nil {
		return err
	}
	return sendFile(c, file, object.ContentType, object.ModTime)
}

// sendFile answers with a file, or the part of it that the client wants, and closes it.
func sendFile(c *endpoint.Call, file io.ReadSeekCloser, contentType string, changed time.Time) error {
	defer file.Close()
	h := c.Response.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	http.ServeContent(c.Response, c.Request, "", changed, file)
	return nil
}
