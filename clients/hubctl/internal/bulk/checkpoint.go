package bulk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkpoint is how far an import has come. What stands before it is done and counted; what was sent
// behind it is sent again, which changes nothing.
type checkpoint struct {
	// Hub and Client are where the import goes to.
	Hub    string `json:"hub"`
	Client string `json:"client"`
	// Offset is in bytes of the input, and SHA256 is of these bytes.
	Offset int64  `json:"offset"`
	SHA256 string `json:"sha256"`
	// Totals are of these bytes.
	Totals Totals `json:"totals"`
	// RejectsBytes is how long the file of refused lines is.
	RejectsBytes int64 `json:"rejectsBytes"`
}

// load reads a checkpoint; found is false where there is none.
func load(path string) (c checkpoint, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return c, false, fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return c, true, nil
}

// save writes the checkpoint, whole or not at all, so that it outlives a crash of the machine.
func (c checkpoint) save(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(path), ".checkpoint-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(next.Name()) }()
	_, err = next.Write(append(text, '\n'))
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), path)
}
