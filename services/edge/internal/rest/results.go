package rest

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"

	text "example.com/hub/pkg/jsontext"
	"example.com/hub/services/edge/internal/shape"
)

// Refused are the entries of a batch that cannot be sent to the hub, by their places. An empty entry is sent in
// the place of each; the hub refuses it, and the answer says then why. A reader Keeps them for Results.
type Refused map[int]Refusal

// Refusal is the id of an entry, where that is known, and what is wrong with the entry.
type Refusal struct {
	ID  string
	Err error
}

// Results is what the answer to a batch is like. Its message in protobuf has the results as field 1 and the
// counts behind it; a result has the id as field 1, the fault or "" as 2, and the flag as 3.
type Results struct {
	// ID is the member with the id of an entry.
	ID string
	// Flag is a member that is true or false, or "".
	Flag string
	// Counts are members that count results.
	Counts []string
}

// Refuse makes the Refusal of an entry that cannot be read. Its id is read where at least that can be.
func (r Results) Refuse(entry jsontext.Value, err error) Refusal {
	var members map[string]jsontext.Value
	var id string
	if json.Unmarshal(entry, &members) == nil {
		_ = json.Unmarshal(members[r.ID], &id) // what is no string is no id
	}
	return Refusal{id, err}
}

// Write writes the answer: a result for each entry, in their order, and the counts.
func (r Results) Write(b []byte, a *Answer) ([]byte, error) {
	refused, _ := a.Kept.(Refused)
	counts := make([]int64, len(r.Counts))
	n := 0
	b = append(b, `{"results":[`...)
	err := a.Fields(func(number protowire.Number, raw []byte, value uint64) (err error) {
		if number != 1 {
			counts[number-2] = int64(value)
			return nil
		}
		if n > 0 {
			b = append(b, ',')
		}
		b, err = r.append(b, raw, refused[n])
		n++
		return err
	})
	b = append(b, ']')
	for i, name := range r.Counts {
		b = strconv.AppendInt(append(b, `,"`+name+`":`...), counts[i], 10)
	}
	return append(b, '}'), err
}

// append writes a result, or what is known of an entry that was not sent.
func (r Results) append(b, raw []byte, refusal Refusal) ([]byte, error) {
	var id, msg string
	flag := false
	err := shape.Fields(raw, func(number protowire.Number, text []byte, value uint64) error {
		switch number {
		case 1:
			id = string(text)
		case 2:
			msg = string(text)
		case 3:
			flag = value != 0
		}
		return nil
	})
	if refusal.Err != nil {
		id, msg = refusal.ID, refusal.Err.Error()
	}
	code := "-1"
	if msg == "" {
		code, msg = "0", "ok"
	}
	b = text.AppendString(append(b, `{"`+r.ID+`":`...), id)
	b = text.AppendString(append(b, `,"code":`...), code)
	b = text.AppendString(append(b, `,"msg":`...), msg)
	if r.Flag != "" {
		b = strconv.AppendBool(append(b, `,"`+r.Flag+`":`...), flag)
	}
	return append(b, '}'), err
}
