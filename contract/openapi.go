package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// document is the target's own description of its answers.
type document struct {
	doc *openapi3.T
}

// loadDocument reads an OpenAPI 3.1 document, refuses an invalid one and tightens it.
func loadDocument(ctx context.Context, data []byte) (*document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	if !doc.IsOpenAPI31OrLater() {
		return nil, fmt.Errorf("openapi is %q, want 3.1", doc.OpenAPI)
	}
	if err := doc.Validate(ctx); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	tighten(doc)
	return &document{doc: doc}, nil
}

// validate checks an answer against the operation that the method and path select. Where the
// document has none (the router's own 404 and 405) there is nothing to check. The path is matched as
// it was sent, escaped, since a decoded slash would select another operation.
func (d *document) validate(method, path string, status int, header http.Header, body []byte) error {
	route := d.route(method, path)
	if route == nil {
		return nil
	}
	sent, err := http.NewRequest(method, "/", nil)
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: sent, Route: route},
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err == nil {
		return nil
	}
	// The whole error repeats the schema and the value; the reason is enough for a message.
	var schema *openapi3.SchemaError
	if errors.As(err, &schema) {
		return fmt.Errorf("%s at /%s", schema.Reason, strings.Join(schema.JSONPointer(), "/"))
	}
	return fmt.Errorf("validate: %w", err)
}

// route finds the operation of a method and an escaped path; nil when the document has none.
func (d *document) route(method, path string) *routers.Route {
	path, _, _ = strings.Cut(path, "?")
	for template, item := range d.doc.Paths.Map() {
		if !matches(template, path) {
			continue
		}
		if operation := item.Operations()[method]; operation != nil {
			return &routers.Route{Spec: d.doc, Path: template, PathItem: item, Method: method, Operation: operation}
		}
	}
	return nil
}

// matches compares an escaped path with a template such as /a/{id}/b, segment by segment.
func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i, segment := range want {
		variable := strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
		if variable && got[i] != "" {
			continue
		}
		if segment != got[i] {
			return false
		}
	}
	return true
}
