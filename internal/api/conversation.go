package api

import (
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/run/snapshot"
)

type conversationsReply struct {
	Conversations []snapshot.Conversation `json:"conversations"`
	NextCursor    *string                 `json:"nextCursor"`
}

func (s *Server) listConversations(c *endpoint.Call, q cursorRequest) (conversationsReply, error) {
	var after *run.ConversationPosition
	if q.Cursor != "" {
		at, session, err := decodeCursor(q.Cursor)
		if err != nil {
			return conversationsReply{}, err
		}
		after = &run.ConversationPosition{UpdatedAt: at, Session: session}
	}
	p, err := s.runs.Conversations(c, c.Caller.Wallet, after, q.Limit)
	reply := conversationsReply{Conversations: p.List}
	if p.Next != nil {
		reply.NextCursor = encodeCursor(p.Next.UpdatedAt, p.Next.Session)
	}
	return reply, err
}

type conversationRequest struct {
	Session string `path:"sessionId" example:"foxes"`
	cursorRequest
}

type conversationReply struct {
	Conversation snapshot.ConversationRuns `json:"conversation"`
	NextCursor   *string                   `json:"nextCursor"` // of earlier runs
}

// conversationCost is the memory of the runs of a page while they are read.
const conversationCost = 16 << 20

func (s *Server) readConversation(c *endpoint.Call, q conversationRequest) (conversationReply, error) {
	var before atelier.RunID
	if q.Cursor != "" {
		_, id, err := decodeCursor(q.Cursor)
		if err != nil {
			return conversationReply{}, err
		}
		before = atelier.RunID(id)
	}
	if err := c.Reserve(conversationCost); err != nil {
		return conversationReply{}, err
	}
	p, err := s.runs.Conversation(c, c.Caller.Wallet, q.Session, before, q.Limit)
	reply := conversationReply{Conversation: p.Conversation}
	if p.Before != "" {
		reply.NextCursor = encodeCursor(p.Conversation.CreatedAt, string(p.Before))
	}
	return reply, err
}

type conversationPatch struct {
	Session string `path:"sessionId" example:"foxes"`
	Title   string `wire:"title,required,minlen=1,maxlen=200" doc:"The new title."`
}

type renamedConversation struct {
	Conversation snapshot.Conversation `json:"conversation"`
}

func (s *Server) renameConversation(c *endpoint.Call, q conversationPatch) (renamedConversation, error) {
	title := strings.TrimSpace(q.Title)
	if title == "" {
		return renamedConversation{}, atelier.Refuse("title", "must not be blank.")
	}
	renamed, err := s.runs.RenameConversation(c, c.Caller.Wallet, q.Session, title)
	return renamedConversation{renamed}, err
}

type conversationID struct {
	Session string `path:"sessionId" example:"foxes"`
}

type deletedConversation struct {
	Deleted   bool   `json:"deleted"`
	SessionID string `json:"sessionId"`
}

func (s *Server) deleteConversation(c *endpoint.Call, q conversationID) (deletedConversation, error) {
	return deletedConversation{true, q.Session}, s.runs.DeleteConversation(c, c.Caller.Wallet, q.Session)
}
