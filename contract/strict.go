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
	for _, f := range []struct {
		schema, property string
		value            any
	}{
		{"SuccessCode", "", "0"},
		{"SuccessMessage", "", "ok"},
		{"Failure", "code", "-1"},
		{"TodoItem", "actionAppId", ""},
		{"TodoItem", "delete", false},
		{"InboxMessage", "delete", false},
		{"Token", "token_type", "Bearer"},
	} {
		schema := doc.Components.Schemas[f.schema]
		if f.property != "" && schema != nil {
			schema = schema.Value.Properties[f.property]
		}
		fix(schema, f.value)
	}
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
		if header := doc.Components.Headers[name]; header != nil {
			fix(header.Value.Schema, value)
		}
	}
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
	if len(ref.Value.Properties) > 0 {
		no := false
		ref.Value.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
	}
}

func fix(ref *openapi3.SchemaRef, value any) {
	if ref != nil {
		ref.Value.Const = value
	}
}
