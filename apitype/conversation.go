package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Conversation is the runs of a session, in a list.
type Conversation struct {
	SessionID  string         `json:"sessionId"`
	Title      string         `json:"title"`
	Runs       int            `json:"runs"` // how many there are
	LastRunID  atelier.RunID  `json:"lastRunId"`
	LastStatus atelier.Status `json:"lastStatus"`
	CreatedAt  time.Time      `json:"createdAt"`
	UpdatedAt  time.Time      `json:"updatedAt"`        // when its last run was started
	Excerpt    string         `json:"excerpt,omitzero"` // what was said around the words of a search, if not only in the title
}

// ConversationRuns is a conversation with some of its runs.
type ConversationRuns struct {
	SessionID  string            `json:"sessionId"`
	Title      string            `json:"title"`
	RunCount   int               `json:"runCount"`
	LastRunID  atelier.RunID     `json:"lastRunId"`
	LastStatus atelier.Status    `json:"lastStatus"`
	CreatedAt  time.Time         `json:"createdAt"`
	UpdatedAt  time.Time         `json:"updatedAt"`
	Runs       []ConversationRun `json:"runs"` // in the order in which they were started
}

// ConversationRun is a run as its conversation shows it.
type ConversationRun struct {
	RunID            atelier.RunID     `json:"runId"`
	Status           atelier.Status    `json:"status"`
	Model            string            `json:"model,omitzero"`
	ClientMessageID  string            `json:"clientMessageId,omitzero"`
	UserText         string            `json:"userText"` // what the user wrote last
	Images           []string          `json:"images"`   // inside what the user wrote last
	MediaReferences  []map[string]any  `json:"mediaReferences"`
	FinalText        string            `json:"finalText"`
	FinishReason     string            `json:"finishReason,omitzero"` // why the answer ended, of a run that is over
	PendingToolCalls []PendingToolCall `json:"pendingToolCalls,omitzero"`
	ToolCalls        []RunToolCall     `json:"toolCalls"`
	ToolResults      []RunToolResult   `json:"toolResults"`
	Artifacts        []RunArtifact     `json:"artifacts"`
	WorkflowIDs      []string          `json:"workflowIds"`
	Waiting          *RunWaiting       `json:"waiting,omitzero"`
	Error            *RunFailure       `json:"error,omitzero"`
	Usage            *RunUsage         `json:"usage,omitzero"`
	Instructions     string            `json:"instructions,omitzero"` // the system message of the request
	Temperature      *float64          `json:"temperature,omitzero"`  // as requested
	CreatedAt        time.Time         `json:"createdAt"`
	UpdatedAt        time.Time         `json:"updatedAt"`
	CompletedAt      *time.Time        `json:"completedAt,omitzero"`
}

// Conversations are a page of conversations.
type Conversations struct {
	Conversations []Conversation `json:"conversations"`
	NextCursor    *string        `json:"nextCursor"`
}

// ConversationReply is the answer of endpoints about one conversation.
type ConversationReply struct {
	Conversation ConversationRuns `json:"conversation"`
	NextCursor   *string          `json:"nextCursor"` // of earlier runs
}

// RenamedConversation is the answer to a new title.
type RenamedConversation struct {
	Conversation Conversation `json:"conversation"`
}

// DeletedConversation is the answer to a deletion.
type DeletedConversation struct {
	Deleted   bool   `json:"deleted"`
	SessionID string `json:"sessionId"`
}
