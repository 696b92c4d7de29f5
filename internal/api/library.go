package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/wire"
)

// artifactsRequest is the query of GET /v1/artifacts.
type artifactsRequest struct {
	Kinds      wire.List          `wire:"kind" doc:"Only these kinds: image, video, audio, model, json, text."`
	WorkflowID atelier.WorkflowID `wire:"workflowId" doc:"Only what this workflow made."`
	From       string             `wire:"from" doc:"Only from this time or UTC day on, as RFC 3339 or YYYY-MM-DD."`
	To         string             `wire:"to" doc:"Only before this time, or up to the end of this UTC day."`
	Text       string             `wire:"q,maxlen=200" doc:"Words that the prompt, the tags, the tool or the model must contain. A page of a search may be short or empty although another follows."`
	markedRequest
	Cursor string `wire:"cursor,maxlen=200" doc:"Where to continue: nextCursor of the page before."`
	Limit  int    `wire:"limit,default=50,min=1,max=200" doc:"How many to list."`
}

func (s *Server) listArtifacts(c *endpoint.Call, q artifactsRequest) (apitype.LibraryPage, error) {
	from, err := momentOf("from", q.From, 0)
	if err != nil {
		return apitype.LibraryPage{}, err
	}
	to, err := momentOf("to", q.To, 24*time.Hour)
	if err != nil {
		return apitype.LibraryPage{}, err
	}
	list := library.Query{Kinds: q.Kinds, WorkflowID: q.WorkflowID, From: from, To: to, Text: q.Text, Marked: q.marked(), Cursor: q.Cursor, Limit: q.Limit}
	if err := c.Reserve(list.Memory()); err != nil {
		return apitype.LibraryPage{}, err
	}
	return s.library.List(c, c.Caller.Wallet, list)
}

// momentOf reads a time, or a UTC day, to which it adds afterDay. An empty text is the
// zero time.
func momentOf(field, text string, afterDay time.Duration) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err == nil {
		return day.Add(afterDay), nil
	}
	at, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1)) // a plus sign that was not encoded
	if err != nil || at.Year() < 1970 {
		return time.Time{}, atelier.Refuse(field, "must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.")
	}
	return at, nil
}

type artifactRequest struct {
	ID string `path:"id"`
}

func (s *Server) readArtifact(c *endpoint.Call, q artifactRequest) (apitype.LibraryArtifactReply, error) {
	a, err := s.library.Read(c, c.Caller.Wallet, q.ID)
	return apitype.LibraryArtifactReply{Artifact: a}, err
}

func (s *Server) deleteArtifact(c *endpoint.Call, q artifactRequest) (endpoint.Empty, error) {
	return endpoint.Empty{}, s.library.Delete(c, c.Caller.Wallet, q.ID)
}

type deleteArtifactsRequest struct {
	IDs []string `wire:"artifactIds,required,minlen=1,maxlen=200" doc:"The artifacts to delete."`
}

func (s *Server) deleteArtifacts(c *endpoint.Call, q deleteArtifactsRequest) (apitype.DeletedArtifacts, error) {
	return s.library.DeleteSeveral(c, c.Caller.Wallet, q.IDs)
}

type artifactDaysRequest struct {
	Kinds wire.List `wire:"kind" doc:"Only these kinds: image, video, audio, model, json, text."`
}

func (s *Server) artifactDays(c *endpoint.Call, q artifactDaysRequest) (apitype.LibraryDays, error) {
	days, err := s.library.Days(c, c.Caller.Wallet, q.Kinds)
	return apitype.LibraryDays{Days: days}, err
}

// thumbnailRequest is the query of GET /v1/artifacts/{id}/thumbnail.
type thumbnailRequest struct {
	ID        string `path:"id"`
	Size      string `wire:"size,enum=320|640,default=320" doc:"The longer edge, in pixels."`
	Until     int64  `wire:"until,required" example:"1794825054" doc:"When the URL expires, in Unix seconds."`
	Signature string `wire:"signature,required,maxlen=200" example:"b914fd19" doc:"The signature of the URL."`
}

// thumbnailAge is how long browsers keep a thumbnail: a week.
const thumbnailAge = "private, max-age=604800, immutable"

func (s *Server) thumbnail(c *endpoint.Call, q thumbnailRequest) error {
	size, err := strconv.Atoi(q.Size)
	if err != nil {
		return err
	}
	f, object, err := s.library.Thumbnail(c, q.ID, size, q.Until, q.Signature)
	if err != nil {
		return err
	}
	defer f.Close()
	h := c.Response.Header()
	h.Set("Content-Type", object.ContentType)
	h.Set("Cache-Control", thumbnailAge)
	h.Set("Content-Security-Policy", "sandbox")
	http.ServeContent(c.Response, c.Request, "", object.ModTime, f)
	return nil
}
