package openai

import "github.com/atelier-project/atelier"

// llmFailure is the error envelope of OpenAI's API.
type llmFailure struct {
	Error llmError `json:"error"`
}

type llmError struct {
	Message string         `json:"message"`
	Type    string         `json:"type"`
	Param   *string        `json:"param"`
	Code    *string        `json:"code"`
	Details map[string]any `json:"details,omitempty"`
}

// errorTypes are the types of errors that clients of OpenAI's API know, by kind. All other
// kinds are errors of the request.
var errorTypes = map[atelier.Kind]string{
	atelier.KindUnauthenticated: "authentication_error",
	atelier.KindPaymentRequired: "insufficient_quota",
	atelier.KindForbidden:       "permission_error",
	atelier.KindTooMany:         "rate_limit_error",
	atelier.KindInternal:        "server_error",
	atelier.KindUnavailable:     "server_error",
	atelier.KindUpstream:        "upstream_error",
	atelier.KindUpstreamTimeout: "upstream_error",
}

// Failure puts an error into the envelope of OpenAI's API.
func Failure(e *atelier.Error) any {
	out := llmError{Message: e.Error(), Type: errorTypes[e.Code.Kind], Code: &e.Code.Slug, Details: e.Details}
	switch {
	case e.Code == atelier.CodeSubscriptionLimit:
		out.Type = "subscription_unavailable"
	case out.Type == "":
		out.Type = "invalid_request_error"
	}
	if e.Field != "" {
		out.Param = &e.Field
	}
	return llmFailure{out}
}
