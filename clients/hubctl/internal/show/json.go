package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON writes a value as indented JSON. Characters that a terminal obeys are escaped, which changes nothing
// for a program.
func JSON(w io.Writer, value any) error {
	text, err := marshal(value)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err = w.Write(indented.Bytes())
	return err
}

// JSONLine writes a value as one line of JSON, as JSON does otherwise.
func JSONLine(w io.Writer, value any) error {
	text, err := marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return plain(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// plain escapes hidden characters of JSON. They can only stand in strings, apart from blanks of a
// [json.RawMessage], which encoding/json takes out.
func plain(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case !hidden(r):
			out = append(out, text[i:i+size]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		i += size
	}
	return out
}
