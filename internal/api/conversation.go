package api

import (
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/run"
)

type conversationsRequest struct {
	Search string `wire:"search,maxlen=200" doc:"Only conversations in whose title, questions or answers each of these words occurs."`
	cursorRequest
}

func (s *Server) listConversations(c *endpoint.Call, q conversationsRequest) (apitype.Conversations, error) {
	var after *run.ConversationPosition
	if q.Cursor != "" {
		at, session, err := q.after("conversations")
		if err != nil {
			return apitype.Conversations{}, err
		}
		after = &run.ConversationPosition{UpdatedAt: at, Session: session}
	}
	p, err := s.runs.Conversations(c, c.Caller.Wallet, q.Search, after, q.Limit)
	reply := apitype.Conversations{Conversations: p.List}
	if p.Next != nil {
		reply.NextCursor = cursor.Encode("conversations", cursor.Time(p.Next.UpdatedAt), p.Next.Session)
	}
	return reply, err
}

type conversationRequest struct {
	Session string `path:"sessionId" example:"foxes"`
	cursorRequest
}

// conversationCost is the memory of the runs of a page while they are read.
const conversationCost = 16 << 20

func (s *Server) readConversation(c *endpoint.Call, q conversationRequest) (apitype.ConversationReply, error) {
	before, err := cursor.Decode("conversation", q.Cursor, 1)
	if err != nil {
		return apitype.ConversationReply{}, err
	}
	if err := c.Reserve(conversationCost); err != nil {
		return apitype.ConversationReply{}, err
	}
	p, err := s.runs.Conversation(c, c.Caller.Wallet, q.Session, atelier.RunID(before.Text(0)), q.Limit)
	reply := apitype.ConversationReply{Conversation: p.Conversation}
	if p.Before != "" {
		reply.NextCursor = cursor.Encode("conversation", string(p.Before))
	}
	return reply, err
}

type conversationPatch struct {
	Session string `path:"sessionId" example:"foxes"`
	Title   string `wire:"title,required,minlen=1,maxlen=200" doc:"The new title."`
}

func (s *Server) renameConversation(c *endpoint.Call, q conversationPatch) (apitype.RenamedConversation, error) {
	title := strings.TrimSpace(q.Title)
	if title == "" {
		return apitype.RenamedConversation{}, atelier.Refuse("title", "must not be blank.")
	}
	renamed, err := s.runs.RenameConversation(c, c.Caller.Wallet, q.Session, title)
	return apitype.RenamedConversation{Conversation: renamed}, err
}

type conversationID struct {
	Session string `path:"sessionId" example:"foxes"`
}

func (s *Server) deleteConversation(c *endpoint.Call, q conversationID) (apitype.DeletedConversation, error) {
	return apitype.DeletedConversation{Deleted: true, SessionID: q.Session}, s.runs.DeleteConversation(c, c.Caller.Wallet, q.Session)
}
