package contract

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

const sampleDocument = `openapi: 3.1.0
info: {title: sample, version: "1"}
paths:
  /todos/{id}/clear:
    post:
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        "200":
          description: done
          headers:
            Hub-Created: {required: true, schema: {type: integer}}
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                required: [id, at]
                properties:
                  id: {type: string}
                  at: {type: [string, "null"]}
`

func TestDocumentValidate(t *testing.T) {
	doc, err := loadDocument(t.Context(), []byte(sampleDocument))
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"id":"1","at":null}`
	header := http.Header{"Content-Type": {"application/json"}, "Hub-Created": {"3"}}
	if err := doc.validate(http.MethodPost, "/todos/a%2Fb/clear?x=1", http.StatusOK, header, []byte(good)); err != nil {
		t.Error(err)
	}
	for name, step := range map[string]struct {
		status int
		header http.Header
		body   string
	}{
		"a missing field":        {http.StatusOK, header, `{"id":"1"}`},
		"an unknown field":       {http.StatusOK, header, `{"id":"1","at":null,"x":1}`},
		"a wrong type":           {http.StatusOK, header, `{"id":1,"at":null}`},
		"null for a string":      {http.StatusOK, header, `{"id":null,"at":null}`},
		"no JSON":                {http.StatusOK, header, `<html>`},
		"an unknown status":      {http.StatusTeapot, header, good},
		"a missing header":       {http.StatusOK, http.Header{"Content-Type": {"application/json"}}, good},
		"a header of wrong type": {http.StatusOK, http.Header{"Content-Type": {"application/json"}, "Hub-Created": {"x"}}, good},
		"another content type":   {http.StatusOK, http.Header{"Content-Type": {"text/html"}, "Hub-Created": {"3"}}, good},
	} {
		if err := doc.validate(http.MethodPost, "/todos/1/clear", step.status, step.header, []byte(step.body)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	for _, path := range []string{"/todos/a/b/clear", "/todos//clear", "/todos/1/close", "/x/todos/1/clear"} {
		if doc.operation(http.MethodPost, path) != nil {
			t.Errorf("%s has an operation", path)
		}
	}
	if doc.operation(http.MethodGet, "/todos/1/clear") != nil || doc.operation("FOO", "/todos/1/clear") != nil {
		t.Error("another method has an operation")
	}
}

// What is fixed is named as in Hub's own document, or it would be fixed nowhere.
func TestEveryConstantIsInTheDocument(t *testing.T) {
	text, err := os.ReadFile("../services/edge/openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := loadDocument(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range fixed {
		if schema := c.in(doc.doc); schema == nil || schema.Value.Const != c.value {
			t.Errorf("%s %s is not fixed", c.schema, c.property)
		}
	}
	for name := range fixedHeaders {
		if doc.doc.Components.Headers[name] == nil {
			t.Errorf("there is no header %s", name)
		}
	}
}

// An open document is held to what Hub answers today.
func TestDocumentIsTightened(t *testing.T) {
	open := strings.Replace(sampleDocument, "                additionalProperties: false\n", "", 1)
	for from, to := range map[string]string{
		"id: {type: string}\n                  at: {type: [string, \"null\"]}": "id: {$ref: '#/components/schemas/SuccessCode'}\n                  at: {$ref: '#/components/schemas/At'}",
		"Hub-Created: {required: true, schema: {type: integer}}":               "Cache-Control: {$ref: '#/components/headers/Cache-Control'}",
	} {
		if !strings.Contains(open, from) {
			t.Fatalf("the sample has no %s", from)
		}
		open = strings.Replace(open, from, to, 1)
	}
	doc, err := loadDocument(t.Context(), []byte(open+`components:
  headers:
    Cache-Control: {required: true, schema: {type: string}}
  schemas:
    SuccessCode: {type: string}
    At: {type: array, items: {type: object, properties: {hour: {type: integer}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]struct {
		body, cached string
		ok           bool
	}{
		"what is there today":         {`{"id":"0","at":[{"hour":1}]}`, "no-store", true},
		"an unknown field":            {`{"id":"0","at":[],"x":1}`, "no-store", false},
		"an unknown field further in": {`{"id":"0","at":[{"minute":1}]}`, "no-store", false},
		"another value of a constant": {`{"id":"1","at":[]}`, "no-store", false},
		"another value of a header":   {`{"id":"0","at":[]}`, "private", false},
	} {
		header := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {step.cached}}
		err := doc.validate(http.MethodPost, "/todos/1/clear", http.StatusOK, header, []byte(step.body))
		if (err == nil) != step.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadDocumentRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no YAML":         "{",
		"OpenAPI 3.0":     strings.Replace(sampleDocument, "3.1.0", "3.0.3", 1),
		"a dangling ref":  strings.Replace(sampleDocument, "id: {type: string}", "id: {$ref: '#/components/schemas/X'}", 1),
		"an unknown type": strings.Replace(sampleDocument, "id: {type: string}", "id: {type: text}", 1),
		"no parameter":    strings.Replace(sampleDocument, "name: id,", "name: other,", 1),
		"no info":         strings.Replace(sampleDocument, "info:", "x-info:", 1),
		"no description":  strings.Replace(sampleDocument, "description: done", "x-description: done", 1),
		"an unknown key":  strings.Replace(sampleDocument, "paths:", "extra: 1\npaths:", 1),
	} {
		if _, err := loadDocument(t.Context(), []byte(text)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
