package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are those of a document, compiled once each: to compile one takes longer than the call whose answer it
// is for.
type schemas struct {
	doc *openapi3.T

	mu         sync.Mutex
	components any
	compiled   map[*openapi3.Schema]*jsonschema.Schema
}

// validate checks a value against a schema of the document.
func (s *schemas) validate(schema *openapi3.Schema, value any) error {
	compiled, err := s.of(schema)
	if err != nil {
		return fmt.Errorf("compile a schema of the document: %w", err)
	}
	return compiled.Validate(value)
}

// forget has every schema compiled again, after a change of the document.
func (s *schemas) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.components, s.compiled = nil, nil
}

func (s *schemas) of(schema *openapi3.Schema) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if compiled := s.compiled[schema]; compiled != nil {
		return compiled, nil
	}
	if s.compiled == nil {
		if err := plain(&s.components, s.doc.Components); err != nil {
			return nil, err
		}
		s.compiled = map[*openapi3.Schema]*jsonschema.Schema{}
	}
	// The schema becomes a document of its own, with the components to which it refers.
	var alone map[string]any
	if err := plain(&alone, schema); err != nil {
		return nil, err
	}
	alone["components"] = s.components
	const location = "https://hub.example/schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(location, alone); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, err
	}
	s.compiled[schema] = compiled
	return compiled, nil
}

// plain gives a part of the document as the maps, lists and values of its JSON.
func plain(to, part any) error {
	data, err := json.Marshal(part)
	if err != nil {
		return err
	}
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	return numbers.Decode(to)
}
