package rest

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/openapi"
)

// The document is validated, and answers against it, by the contract suite. Here it is held to the
// code that it describes.

func TestDocumentHasEveryRoute(t *testing.T) {
	var want []string
	h := &Handler{}
	for _, r := range append(slices.Clone(contractRoutes), h.ownRoutes(noIssuer{}, noIssuer{})...) {
		want = append(want, strings.ToLower(r.method)+" "+r.path)
	}
	var got []string
	path := ""
	paths, _, _ := strings.Cut(string(openapi.Document), "\ncomponents:")
	for _, line := range strings.Split(paths, "\n") {
		if m := regexp.MustCompile(`^  (/\S*):$`).FindStringSubmatch(line); m != nil {
			path = m[1]
		}
		if m := regexp.MustCompile(`^    (get|post|put|patch|delete|head|options):$`).FindStringSubmatch(line); m != nil {
			got = append(got, m[1]+" "+path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the document's routes differ (-code +document):\n%s", diff)
	}
}

type noIssuer struct{}

func (noIssuer) ServeToken(http.ResponseWriter, *http.Request)     {}
func (noIssuer) ServeKeys(http.ResponseWriter, *http.Request)      {}
func (noIssuer) ServeDiscovery(http.ResponseWriter, *http.Request) {}

// A client that checks answers against the document must not break when a field is added.
func TestDocumentIsOpen(t *testing.T) {
	for _, word := range []string{"additionalProperties", "unevaluatedProperties", "const:"} {
		if strings.Contains(string(openapi.Document), word) {
			t.Errorf("the document has %s", word)
		}
	}
}

func TestDocumentHasEveryField(t *testing.T) {
	tests := map[string]struct {
		code any
		// ignored fields are documented but not decoded.
		ignored string
	}{
		"TodoItem":      {todoItem{}, ""},
		"InboxMessage":  {inboxMessage{}, ""},
		"MessageAction": {messageAction{}, ""},
		"UpsertTodo":    {upsertTodo{}, "sourceSystem"},
		"ClearTodo":     {clearTodo{}, ""},
		"PushMessage":   {pushMessage{}, "sourceAppId"},
		"PushAction":    {messageAction{}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []string
			for _, field := range reflect.VisibleFields(reflect.TypeOf(tt.code)) {
				if tag := field.Tag.Get("json"); tag != "" {
					want = append(want, tag)
				}
			}
			_, schema, found := strings.Cut(string(openapi.Document), "\n    "+name+":\n")
			if !found {
				t.Fatal("the document has no such schema")
			}
			schema, _, _ = strings.Cut(schema, "\n\n")
			var got []string
			for _, m := range regexp.MustCompile(`(?m)^        (\w+):`).FindAllStringSubmatch(schema, -1) {
				if m[1] != tt.ignored {
					got = append(got, m[1])
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the document's fields differ (-code +document):\n%s", diff)
			}
		})
	}
}
