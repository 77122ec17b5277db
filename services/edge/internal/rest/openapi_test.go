package rest_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/eventcenter"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/app"
	"example.com/hub/services/edge/internal/rest/content"
	"example.com/hub/services/edge/internal/rest/directory"
	"example.com/hub/services/edge/internal/rest/message"
	"example.com/hub/services/edge/internal/rest/todo"
	"example.com/hub/services/edge/openapi"
	"example.com/hub/web"
)

// The document is validated, and answers against it, by the contract suite. Here it is held to the
// code that it describes.

func TestDocumentHasEveryRoute(t *testing.T) {
	var want []string
	pages, err := portal.Area(portal.Deps{Login: &login.Login{}})
	if err != nil {
		t.Fatal(err)
	}
	users := func(d *rest.Deps) { d.Areas = append(d.Areas, pages, portal.API(), new(eventcenter.Center).Area()) }
	for _, name := range newFront(t, users).Handler.(*rest.Handler).Routes() {
		method, path, _ := strings.Cut(name, " ")
		if strings.HasPrefix(path, "/portal/") && (path == portal.Home || strings.Contains(path, ".") || strings.HasPrefix(path, web.Assets)) {
			continue // a page and its files are for browsers
		}
		if path == eventcenter.Path+rest.Below {
			for _, method := range []string{"get", "head", "post", "put", "patch", "delete", "options"} {
				want = append(want, method+" /event-center/{path}")
			}
			continue
		}
		want = append(want, strings.ToLower(method)+" "+path)
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
		code []string
		// ignored fields are documented but not decoded.
		ignored string
	}{
		"TodoItem":       {todo.Item.Names(), ""},
		"InboxMessage":   {message.InboxMessage.Names(), ""},
		"MessageAction":  {message.Action.Names(), ""},
		"UpsertTodo":     {members(todo.UpsertBody{}), "sourceSystem"},
		"ClearTodo":      {members(todo.ClearBody{}), ""},
		"AdminClearTodo": {members(todo.AdminClearBody{}), ""},
		"PushMessage":    {members(message.PushBody{}), "sourceAppId"},
		"ReadAll":        {members(message.ReadAllBody{}), ""},
		"App":            {app.App.Names(), ""},
		"VisibleApp":     {app.Visible.Names(), ""},
		"AppBody":        {members(app.Body{}), ""},
		"UpdateApp":      {members(app.Body{}), ""},
		"ChannelBody":    {members(content.ChannelBody{}), ""},
		"Channel":        {content.Channel.Names(), ""},
		"ArticleBody":    {members(content.ArticleBody{}), ""},
		"UpdateArticle":  {members(content.ArticleBody{}), ""},
		"ArticleEntry":   {content.ArticleEntry.Names(), ""},
		"Article":        {content.Article.Names(), ""},
		"FeedEntry":      {content.FeedEntry.Names(), ""},
		"FeedArticle":    {content.FeedArticle.Names(), ""},
		"PushAction":     {members(message.ActionBody{}), ""},

		"DirectoryUser":    {directory.User.Names(), ""},
		"Department":       {directory.Department.Names(), ""},
		"FeedUser":         {members(directory.UserBody{}), ""},
		"UpsertDepartment": {members(directory.DepartmentBody{}), ""},
		"UpsertRole":       {members(directory.RoleBody{}), ""},
		"ReconcileUsers":   {members(directory.ReconcileBody{}), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
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
			if diff := cmp.Diff(tt.code, got); diff != "" {
				t.Errorf("the document's fields differ (-code +document):\n%s", diff)
			}
		})
	}
}

// members are the names of a struct's fields in JSON.
func members(body any) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(body)) {
		names = append(names, field.Tag.Get("json"))
	}
	return names
}
