// Package web has the portal as browsers get it: its page, and the tree of modules and styles that the page is
// made of. They are served as they were written; nothing builds them.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
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
	files map[string]content
	page  content
}

// content is what is answered, as it is and packed.
type content struct {
	mime, tag    string
	plain, small []byte
}

// New reads the tree that the program was built with. It fails only for a program that was built wrong.
func New() (*Tree, error) {
	t := &Tree{files: map[string]content{}}
	w, err := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		t.files[name], err = newContent(w, types[path.Ext(name)], text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the portal: %w", err)
	}
	names := slices.Sorted(maps.Keys(t.files))
	sum := sha256.New()
	for _, name := range names {
		_, _ = fmt.Fprintf(sum, "%s %d\n", name, len(t.files[name].plain))
		_, _ = sum.Write(t.files[name].plain)
	}
	t.name = base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:9])
	if t.page, err = t.render(w, names); err != nil {
		return nil, fmt.Errorf("write the page of the portal: %w", err)
	}
	return t, nil
}

// render writes the page, with the addresses of what it loads.
func (t *Tree) render(w *gzip.Writer, names []string) (content, error) {
	plan, err := template.New("page").Parse(layout)
	if err != nil {
		return content{}, err
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
		return content{}, err
	}
	return newContent(w, "text/html; charset=utf-8", b.Bytes())
}

// Path is the address of a file of the tree.
func (t *Tree) Path(name string) string { return Assets + t.name + "/" + name }

// newContent packs a text with a writer that it may reset: each writer has most of a MiB for itself.
func newContent(w *gzip.Writer, mime string, text []byte) (content, error) {
	var small bytes.Buffer
	w.Reset(&small)
	if _, err := w.Write(text); err != nil {
		return content{}, err
	}
	if err := w.Close(); err != nil {
		return content{}, err
	}
	sum := sha256.Sum256(text)
	return content{mime: mime, tag: base64.RawURLEncoding.EncodeToString(sum[:12]), plain: text, small: small.Bytes()}, nil
}
