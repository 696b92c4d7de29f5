package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/api"
)

// clientBodies are the endpoints whose bodies the clients send, with the names of these in the clients.
var clientBodies = []struct{ path, name string }{
	{"/v1/creative-agent/workflows", "WorkflowStart"},
	{"/v1/creative-agent/workflows/{id}/resume", "WorkflowResume"},
	{"/v1/creative-agent/workflows/{id}/confirm-cost", "WorkflowDecision"},
	{"/v1/chat/runs", "RunStart"},
	{"/v1/chat/runs/{id}/confirm-cost", "RunDecision"},
}

// clientAnswers are the schemas of what the clients read.
var clientAnswers = []string{
	"WorkflowReply", "Workflows", "CancelledWorkflow", "ResumedWorkflow", "ConfirmedWorkflow", "WorkflowEvent", "WorkflowStatus",
	"RunReply", "CancelledRunReply", "RunEvent", "RunStatus", "RunText", "EventsTrimmed",
	"TemplateReply", "TemplatesReply", "UploadForm", "DownloadReply", "Failure",
}

// clientsDocument is the part of the OpenAPI document that the types of the clients are made from:
// the schemas of what they send and read, without the other spellings that requests may have.
func clientsDocument() (string, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema any }
			}
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(api.OpenAPI(), &doc); err != nil {
		return "", err
	}
	used := map[string]any{}
	var use func(name string) error
	use = func(name string) error {
		if used[name] != nil {
			return nil
		}
		s := doc.Components.Schemas[name]
		if s == nil {
			return fmt.Errorf("the OpenAPI document has no schema %s", name)
		}
		refs := map[string]bool{}
		used[name] = reduce(s, refs)
		for ref := range refs {
			if err := use(ref); err != nil {
				return err
			}
		}
		return nil
	}
	for _, b := range clientBodies {
		doc.Components.Schemas[b.name] = doc.Paths[b.path]["post"].RequestBody.Content["application/json"].Schema
		if err := use(b.name); err != nil {
			return "", err
		}
	}
	for _, name := range clientAnswers {
		if err := use(name); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "atelier, as its clients see it", "version": "1", "description": "Written by \"make generate\". Do not edit."},
		"paths":      map[string]any{},
		"components": map[string]any{"schemas": used},
	}, "", " ")
	return string(text) + "\n", err
}

// reduce copies a schema without the other spellings of members, and adds the schemas that it names to refs.
func reduce(v any, refs map[string]bool) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = reduce(v[i], refs)
		}
		return list
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			refs[ref[strings.LastIndex(ref, "/")+1:]] = true
			return v
		}
		out := map[string]any{}
		for name, member := range v {
			if m, ok := member.(map[string]any); ok {
				if about, _ := m["description"].(string); strings.HasPrefix(about, "Another spelling of ") {
					continue
				}
			}
			out[name] = reduce(member, refs)
		}
		if out["properties"] != nil && out["allOf"] != nil { // each entry lists the spellings of a required member
			required, _ := out["required"].([]any)
			for _, spellings := range out["allOf"].([]any) {
				first := spellings.(map[string]any)["anyOf"].([]any)[0]
				required = append(required, first.(map[string]any)["required"].([]any)...)
			}
			out["required"] = required
			delete(out, "allOf")
		}
		return out
	}
	return v
}
