package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the target's own description of its answers.
type document struct {
	doc     *openapi3.T
	schemas *schemas
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
	return &document{doc: doc, schemas: &schemas{doc: doc}}, nil
}

// validate checks an answer against the operation that the method and path select. Where the
// document has none (the router's own 404 and 405) there is nothing to check. The path is matched as
// it was sent, escaped, since a decoded slash would select another operation.
func (d *document) validate(method, path string, status int, header http.Header, body []byte) error {
	operation := d.operation(method, path)
	if operation == nil || status == http.StatusNotModified {
		return nil
	}
	response := operation.Responses.Status(status)
	if response == nil {
		return fmt.Errorf("the operation has no status %d", status)
	}
	for name, described := range response.Value.Headers {
		if err := d.validateHeader(described.Value, header[http.CanonicalHeaderKey(name)]); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	if len(response.Value.Content) == 0 {
		return nil
	}
	kind := header.Get("Content-Type")
	media := response.Value.Content.Get(kind)
	if media == nil {
		return fmt.Errorf("the status has no content of type %q", kind)
	}
	if media.Schema == nil {
		return nil
	}
	var value any = string(body)
	if strings.HasPrefix(kind, "application/json") {
		var err error
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return fmt.Errorf("read the body: %w", err)
		}
	}
	return d.schemas.validate(media.Schema.Value, value)
}

// validateHeader checks the values of a header, which is simple: a text, or a whole number.
func (d *document) validateHeader(described *openapi3.Header, values []string) error {
	if len(values) == 0 {
		if described.Required {
			return errors.New("is missing")
		}
		return nil
	}
	var value any = strings.Join(values, ", ")
	if described.Schema.Value.Type.Is(openapi3.TypeInteger) {
		number, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		value = number
	}
	return d.schemas.validate(described.Schema.Value, value)
}

// operation finds that of a method and an escaped path; nil when the document has none.
func (d *document) operation(method, path string) *openapi3.Operation {
	path, _, _ = strings.Cut(path, "?")
	for template, item := range d.doc.Paths.Map() {
		if !matches(template, path) {
			continue
		}
		if operation := item.Operations()[method]; operation != nil {
			return operation
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
