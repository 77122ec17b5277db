// Package web has the portal as browsers get it: its page, and the tree of modules and styles that the page is
// made of. They are served as they were written; nothing builds them.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"example.com/hub/web/static"
)

//go:embed portal/*.js portal/*.css portal/*.svg
//go:embed portal/words/*.js portal/parts/*.js portal/pages/*.js portal/admin/*.js
//go:embed client/*.js
var files embed.FS

//go:embed portal/index.html
var layout string

// Assets is the path below which trees are served, each below its name.
const Assets = "/portal/assets/"

// types of the files, by their endings.
var types = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// Tree is the files of the portal and its page.
type Tree struct {
	// name is the hash of all files, so that an address never means two contents.
	name  string
	files map[string]static.File
	page  static.File
}

// New reads the tree that the program was built with. It fails only for a program that was built wrong.
func New() (*Tree, error) {
	t := &Tree{files: map[string]static.File{}}
	sum := sha256.New()
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		names = append(names, name)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		t.files[name] = static.New(types[path.Ext(name)], text)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the portal: %w", err)
	}
	t.name = base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:9])
	if t.page, err = t.render(names); err != nil {
		return nil, fmt.Errorf("write the page of the portal: %w", err)
	}
	return t, nil
}

// render writes the page, with the addresses of what it loads.
func (t *Tree) render(names []string) (static.File, error) {
	plan, err := template.New("page").Parse(layout)
	if err != nil {
		return static.File{}, err
	}
	var modules, styles []string
	for _, name := range names {
		switch path.Ext(name) {
		case ".js":
			// The pages of administrators are fetched by who may see them.
			if !strings.HasPrefix(name, "portal/admin/") {
				modules = append(modules, t.Path(name))
			}
		case ".css":
			styles = append(styles, t.Path(name))
		}
	}
	var b bytes.Buffer
	err = plan.Execute(&b, struct {
		Modules, Styles []string
		Main, Icon      string
	}{modules, styles, t.Path("portal/main.js"), t.Path("portal/icon.svg")})
	if err != nil {
		return static.File{}, err
	}
	return static.New("text/html; charset=utf-8", b.Bytes()), nil
}

// Path is the address of a file of the tree.
func (t *Tree) Path(name string) string { return Assets + t.name + "/" + name }
