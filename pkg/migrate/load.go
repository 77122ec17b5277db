package migrate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// migration is one forward step of a schema.
type migration struct {
	version  int
	name     string
	checksum string
	text     string
}

// String is the file name without its ending.
func (m migration) String() string { return fmt.Sprintf("%04d_%s", m.version, m.name) }

// load reads every .sql file below files. The names are NNNN_verb_noun.sql, numbered from 1 without
// gaps, so that a merge of two branches with the same number does not pass a build's tests.
func load(files fs.FS) ([]migration, error) {
	fileName := regexp.MustCompile(`^(\d{4})_([a-z0-9]+(?:_[a-z0-9]+)+)\.sql$`)
	var list []migration
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".sql" {
			return err
		}
		parts := fileName.FindStringSubmatch(path.Base(p))
		if parts == nil {
			return fmt.Errorf("%s is not named like 0001_create_table.sql", p)
		}
		version, err := strconv.Atoi(parts[1])
		if err != nil {
			return err
		}
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		list = append(list, migration{
			version: version, name: parts[2], checksum: hex.EncodeToString(sum[:]), text: string(text),
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("read migrations: there are none")
	}
	slices.SortFunc(list, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	for i, m := range list {
		if m.version != i+1 {
			return nil, fmt.Errorf("read migrations: found %s where version %04d was due", m, i+1)
		}
	}
	return list, nil
}
