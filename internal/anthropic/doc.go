// Package anthropic translates between the shapes of Anthropic's Messages API and the chat engine: a body becomes a
// chat.Request in one call, and the events and the completion of the engine become events and a message.
//
// It belongs here: what that API calls things, and its bounds. It does not belong here: how an answer is made, which is
// package chat, and how events are written, which is package endpoint.
package anthropic
