package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/wire"
)

// markedRequest is the part of a query that selects by marks.
type markedRequest struct {
	Board     string    `wire:"board,maxlen=64" doc:"Only what is on this board, by its id."`
	Favourite bool      `wire:"favourite" doc:"Only favourites."`
	Tags      wire.List `wire:"tag,maxlen=5" doc:"Only what has all of these tags."`
}

func (q markedRequest) marked() library.Marked {
	return library.Marked{Board: q.Board, Favourite: q.Favourite, Tags: q.Tags}
}

func (s *Server) listBoards(c *endpoint.Call, _ endpoint.Empty) (apitype.Boards, error) {
	return s.library.Boards(c, c.Caller.Wallet)
}

type boardRequest struct {
	Name string `wire:"name,required,minlen=1,maxlen=80" doc:"The name, which no other board of the account has. Upper and lower case are the same."`
}

func (s *Server) createBoard(c *endpoint.Call, q boardRequest) (apitype.BoardReply, error) {
	b, err := s.library.CreateBoard(c, c.Caller.Wallet, q.Name)
	return apitype.BoardReply{Board: b}, err
}

type boardPatch struct {
	ID string `path:"id"`
	boardRequest
}

func (s *Server) renameBoard(c *endpoint.Call, q boardPatch) (apitype.BoardReply, error) {
	b, err := s.library.RenameBoard(c, c.Caller.Wallet, q.ID, q.Name)
	return apitype.BoardReply{Board: b}, err
}

type boardID struct {
	ID string `path:"id"`
}

func (s *Server) deleteBoard(c *endpoint.Call, q boardID) (apitype.DeletedBoard, error) {
	return apitype.DeletedBoard{Deleted: true, BoardID: q.ID}, s.library.DeleteBoard(c, c.Caller.Wallet, q.ID)
}

type boardWorkflow struct {
	ID         string             `path:"id"`
	WorkflowID atelier.WorkflowID `path:"workflowId" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) putWorkflowOnBoard(c *endpoint.Call, q boardWorkflow) (apitype.WorkflowOnBoard, error) {
	return apitype.WorkflowOnBoard{WorkflowID: q.WorkflowID, BoardID: q.ID}, s.library.PutWorkflowOnBoard(c, c.Caller.Wallet, q.ID, q.WorkflowID)
}

type tagsRequest struct {
	Text  string `wire:"q,maxlen=40" doc:"Only tags that contain this text."`
	Limit int    `wire:"limit,default=50,min=1,max=1000" doc:"How many to list."`
}

func (s *Server) listTags(c *endpoint.Call, q tagsRequest) (apitype.LibraryTags, error) {
	tags, err := s.library.Tags(c, c.Caller.Wallet, q.Text, q.Limit)
	return apitype.LibraryTags{Tags: tags}, err
}

// marksPatch is the body of PATCH /v1/artifacts/{id} and PATCH /v1/assets/{id}.
type marksPatch struct {
	ID        string    `path:"id"`
	Favourite *bool     `wire:"favourite" doc:"Whether it is a favourite."`
	Tags      *[]string `wire:"tags,maxlen=20" doc:"All its tags, at most 40 characters each. They are kept in lower case."`
	Boards    *[]string `wire:"boards,maxlen=200" doc:"The ids of all boards that it is on."`
}

func (s *Server) markArtifact(c *endpoint.Call, q marksPatch) (apitype.MarkedItemReply, error) {
	return s.mark(c, q, false)
}

func (s *Server) markAsset(c *endpoint.Call, q marksPatch) (apitype.MarkedItemReply, error) {
	return s.mark(c, q, true)
}

func (s *Server) mark(c *endpoint.Call, q marksPatch, isUpload bool) (apitype.MarkedItemReply, error) {
	item, err := s.library.Mark(c, c.Caller.Wallet, library.Item{ID: q.ID, IsUpload: isUpload}, library.MarkChange{Favourite: q.Favourite, Tags: q.Tags, Boards: q.Boards})
	return apitype.MarkedItemReply{Item: item}, err
}

// marksRequest is the body of POST /v1/library/marks.
type marksRequest struct {
	ArtifactIDs  []string `wire:"artifactIds,maxlen=200" doc:"The artifacts to mark."`
	AssetIDs     []string `wire:"assetIds,maxlen=200" doc:"The saved uploads to mark."`
	Favourite    *bool    `wire:"favourite" doc:"Whether they are favourites."`
	AddTags      []string `wire:"addTags,maxlen=20" doc:"Tags that they get, at most 40 characters each. They are kept in lower case."`
	RemoveTags   []string `wire:"removeTags,maxlen=20" doc:"Tags that are taken from them."`
	AddBoards    []string `wire:"addBoards,maxlen=20" doc:"The ids of boards that they are put on."`
	RemoveBoards []string `wire:"removeBoards,maxlen=20" doc:"The ids of boards that they are taken from."`
}

func (s *Server) markItems(c *endpoint.Call, q marksRequest) (apitype.MarkedItems, error) {
	var items []library.Item
	for _, id := range q.ArtifactIDs {
		items = append(items, library.Item{ID: id})
	}
	for _, id := range q.AssetIDs {
		items = append(items, library.Item{ID: id, IsUpload: true})
	}
	if len(items) == 0 {
		return apitype.MarkedItems{}, atelier.Refuse("artifactIds", "or assetIds must name something to mark.")
	}
	if err := c.Reserve(int64(len(items)) * library.MarksMemory); err != nil {
		return apitype.MarkedItems{}, err
	}
	return s.library.MarkSeveral(c, c.Caller.Wallet, items, library.MarkChange{
		Favourite: q.Favourite, AddTags: q.AddTags, RemoveTags: q.RemoveTags, AddBoards: q.AddBoards, RemoveBoards: q.RemoveBoards,
	})
}
