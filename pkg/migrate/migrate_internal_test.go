package migrate

import (
	"strings"
	"testing"
	"testing/fstest"
)

func filesOf(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("-- " + name)}
	}
	return files
}

func TestLoadOrdersByVersion(t *testing.T) {
	list, err := load(filesOf("m/0002_add_index.sql", "m/0001_create_todo.sql", "m/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.String())
	}
	if want := "0001_create_todo 0002_add_index"; strings.Join(got, " ") != want {
		t.Errorf("loaded %v, want %s", got, want)
	}
	if list[0].text != "-- m/0001_create_todo.sql" || list[0].checksum == list[1].checksum {
		t.Errorf("texts or checksums are mixed up: %+v", list)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"nothing", filesOf(), "there are none"},
		{"a gap", filesOf("0001_create_todo.sql", "0003_add_index.sql"), "found 0003_add_index where version 0002 was due"},
		{"a version twice", filesOf("0001_create_todo.sql", "0001_add_index.sql"), "where version 0002 was due"},
		{"version zero", filesOf("0000_create_todo.sql"), "where version 0001 was due"},
		{"a short number", filesOf("1_create_todo.sql"), "1_create_todo.sql is not named like"},
		{"a name of one word", filesOf("0001_create.sql"), "0001_create.sql is not named like"},
		{"capitals", filesOf("0001_Create_todo.sql"), "0001_Create_todo.sql is not named like"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(tt.files)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("load = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestPending(t *testing.T) {
	known, err := load(filesOf("0001_create_todo.sql", "0002_add_index.sql", "0003_add_column.sql"))
	if err != nil {
		t.Fatal(err)
	}
	newer := migration{version: 4, name: "drop_column", checksum: "4"}
	edited := known[1]
	edited.checksum = "other"

	tests := []struct {
		name    string
		applied []migration
		want    string
		wantErr string
	}{
		{"an empty database starts at the first", nil, "0001_create_todo", ""},
		{"goes on after the last", known[:2], "0003_add_column", ""},
		{"up to date", known, "", ""},
		{"ahead of this binary", append(known[:3:3], newer), "", ""},
		{"a gap", []migration{known[0], known[2]}, "", "has migration 0003_add_column but lacks version 0002"},
		{"a gap below a newer version", append(known[:2:2], newer), "", "lacks version 0003"},
		{"an edited migration", []migration{known[0], edited}, "", "another migration 0002_add_index than this binary"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next, err := pending(known, tt.applied)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("pending = %v, want an error with %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if next != nil {
				got = next.String()
			}
			if got != tt.want {
				t.Errorf("pending = %q, want %q", got, tt.want)
			}
		})
	}
}
