package ateliertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// contract is the service's own OpenAPI document, to hold answers against.
type contract struct {
	router routers.Router
}

// LintOpenAPI reads and validates the OpenAPI document of a service.
func LintOpenAPI(t testing.TB, s *Service) *openapi3.T {
	t.Helper()
	_, text := s.Get(t, "/openapi.json", "")
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("load the OpenAPI document: %v", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatalf("the OpenAPI document is not valid: %v", err)
	}
	return doc
}

func readContract(t testing.TB, s *Service) *contract {
	t.Helper()
	router, err := gorillamux.NewRouter(LintOpenAPI(t, s))
	if err != nil {
		t.Fatalf("the OpenAPI document has no routes: %v", err)
	}
	return &contract{router}
}

// check validates an answer. An answer about a path or method that is no
// endpoint has no place in the document and passes.
func (c *contract) check(req *http.Request, resp *http.Response, body []byte) error {
	asked := req.Clone(context.Background())
	if asked.Method == http.MethodHead {
		return nil // has no body to check
	}
	route, params, err := c.router.FindRoute(asked)
	if err != nil {
		return nil //nolint:nilerr // not an endpoint
	}
	if route.Operation.Responses.Status(resp.StatusCode) == nil {
		return fmt.Errorf("status %d is not in the document", resp.StatusCode)
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			ExcludeResponseBody:   !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json"), // a file
		},
	})
}
