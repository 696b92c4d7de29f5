package ateliertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
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
	return parseOpenAPI(t, text)
}

// Operation is an operation of the OpenAPI document, with what it shows as a sample.
type Operation struct {
	Method, Path string
	Parameters   []Parameter
	TakesJSON    bool           // it has a body
	Example      map[string]any // of the body; may be nil
	Statuses     []string       // that are documented
}

// Parameter is a parameter of an operation.
type Parameter struct {
	Name, In string // In is path, query or header
	Required bool
	Example  string // may be empty
}

// Operations lists the operations of a service in the order of their paths.
func Operations(t testing.TB, s *Service) (list []Operation) {
	t.Helper()
	doc := LintOpenAPI(t, s)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for method, o := range doc.Paths.Value(path).Operations() {
			op := Operation{Method: method, Path: path, Statuses: slices.Collect(maps.Keys(o.Responses.Map()))}
			for _, p := range o.Parameters {
				example, _ := p.Value.Example.(string)
				if list, ok := p.Value.Example.([]any); ok {
					example = strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
				}
				op.Parameters = append(op.Parameters, Parameter{p.Value.Name, p.Value.In, p.Value.Required, example})
			}
			if o.RequestBody != nil {
				if body := o.RequestBody.Value.Content.Get("application/json"); body != nil {
					op.TakesJSON = true
					op.Example, _ = body.Example.(map[string]any)
				}
			}
			list = append(list, op)
		}
	}
	return list
}

func parseOpenAPI(t testing.TB, text string) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("load the OpenAPI document: %v", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatalf("the OpenAPI document is not valid: %v", err)
	}
	return doc
}

// contracts are those that were read before: a process boots many services, and
// their documents differ only where clients go to an S3 for the files.
var contracts struct {
	sync.Mutex
	read map[bool]*contract // by whether they do
}

func readContract(t testing.TB, s *Service) *contract {
	t.Helper()
	contracts.Lock()
	defer contracts.Unlock()
	if c, ok := contracts.read[s.onS3]; ok {
		return c
	}
	_, text := s.Get(t, "/openapi.json", "")
	doc := parseOpenAPI(t, strings.ReplaceAll(text, s.URL, anywhere))
	allowNull(doc)
	doc.OpenAPI = "3.0.3" // answers are then checked without compiling their schemas each time
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("the OpenAPI document has no routes: %v", err)
	}
	if contracts.read == nil {
		contracts.read = map[bool]*contract{}
	}
	contracts.read[s.onS3] = &contract{router}
	return contracts.read[s.onS3]
}

// anywhere is where the services of all tests are, to their contract.
const anywhere = "http://anywhere"

// allowNull writes out what a schema that says nothing allows. The library
// takes null for forbidden unless it is named.
func allowNull(doc *openapi3.T) {
	_ = doc.WalkSchemas(func(_ string, s *openapi3.SchemaRef) error {
		if s.Ref == "" && s.Value.IsEmpty() {
			s.Value.Type = &openapi3.Types{"null", "boolean", "number", "string", "array", "object"}
		}
		return nil
	})
}

// check validates an answer. An answer about a path or method that is no
// endpoint has no place in the document and passes.
func (c *contract) check(req *http.Request, resp *http.Response, body []byte) error {
	asked := req.Clone(context.Background())
	asked.URL.Scheme, asked.URL.Host, asked.Host = "http", "anywhere", "anywhere"
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
