package contract

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// oauthTag marks the operations whose answers their own standards let grow.
const oauthTag = "tokens"

// tighten closes what a document leaves open, so that clients of today do not mind fields of tomorrow:
// the suite knows every field that there is, and the values that never differ today.
func tighten(doc *openapi3.T) {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if slices.Contains(operation.Tags, oauthTag) {
				continue
			}
			for _, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					closeObjects(media.Schema)
				}
			}
		}
	}
	if doc.Components == nil {
		return
	}
	for _, f := range fixed {
		if schema := f.in(doc); schema != nil {
			schema.Value.Const = f.value
		}
	}
	for name, value := range fixedHeaders {
		if header := doc.Components.Headers[name]; header != nil {
			header.Value.Schema.Value.Const = value
		}
	}
}

// constant is a schema, or one of its properties, of which there is one value today.
type constant struct {
	schema, property string
	value            any
}

var fixed = []constant{
	{"SuccessCode", "", "0"},
	{"SuccessMessage", "", "ok"},
	{"Failure", "code", "-1"},
	{"TodoItem", "actionAppId", ""},
	{"TodoItem", "delete", false},
	{"InboxMessage", "delete", false},
	{"Token", "token_type", "Bearer"},
}

var fixedHeaders = map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}

// in gives the schema in a document; nil where a document of another release has none.
func (c constant) in(doc *openapi3.T) *openapi3.SchemaRef {
	schema := doc.Components.Schemas[c.schema]
	if c.property != "" && schema != nil {
		schema = schema.Value.Properties[c.property]
	}
	return schema
}

// extend takes back what holds for the answers of the contract alone, and not for extended ones.
func (d *document) extend() {
	for _, f := range fixed {
		if schema := f.in(d.doc); schema != nil && f.property == "actionAppId" {
			schema.Value.Const = nil
		}
	}
	d.schemas.forget()
}

// closeObjects refuses fields that an object's schema does not name, in the objects below, too.
func closeObjects(ref *openapi3.SchemaRef) {
	if ref == nil {
		return
	}
	for _, property := range ref.Value.Properties {
		closeObjects(property)
	}
	closeObjects(ref.Value.Items)
	for _, form := range ref.Value.OneOf {
		closeObjects(form)
	}
	if len(ref.Value.Properties) > 0 {
		no := false
		ref.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
	}
}
