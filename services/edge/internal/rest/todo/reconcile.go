package todo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/field"
	hubjson "example.com/hub/pkg/jsontext"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

// reconcileActions are what may become of items that are gone.
var reconcileActions = shape.Words[todov1.ReconcileAction]{"", "clear", "invalidate"}

// ReconcileBody is the body of POST /todo-hub/todos/reconcile.
type ReconcileBody struct {
	AsOf     string   `json:"asOf"`
	From     string   `json:"from"`
	To       *string  `json:"to"`
	Open     openList `json:"open"`
	Action   string   `json:"action"`
	Result   *string  `json:"result"`
	MaxClose *int64   `json:"maxClose"`
	DryRun   bool     `json:"dryRun"`
}

// OpenBody is an item that is open at the client.
type OpenBody struct {
	TodoID        string `json:"todoId"`
	SourceVersion *int64 `json:"sourceVersion"`
}

// openList has nil for null.
type openList []*OpenBody

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *openList) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*l, err = rest.Entries(d, field.MaxOpen+1, func(d *jsontext.Decoder) (o *OpenBody, err error) {
		err = json.UnmarshalDecode(d, &o)
		return o, err
	})
	return err
}

func readReconcile(r *rest.Request, m *todov1.ReconcileTodosRequest) error {
	in, err := rest.Body[ReconcileBody](r)
	if err != nil {
		return err
	}
	m.AsOf = shape.ParseInstant(in.AsOf)
	m.From = in.From
	m.To = in.To
	m.Action = reconcileActions.ParseField(in.Action, false)
	m.Result = in.Result
	m.MaxClose = in.MaxClose
	m.DryRun = in.DryRun
	for i, o := range in.Open {
		if o == nil {
			return fmt.Errorf("open[%d] must be an object", i)
		}
		m.Open = append(m.Open, &todov1.OpenTodo{TodoId: o.TodoID, SourceVersion: o.SourceVersion})
	}
	r.More(time.Duration(len(in.Open)) * perItem)
	return nil
}

// writeReconciled writes a todov1.ReconcileTodosResponse.
func writeReconciled(b []byte, a *rest.Answer) ([]byte, error) {
	var counts [5]int64
	ids := 0
	b = append(b, `{"closedIds":[`...)
	err := a.Fields(func(number protowire.Number, text []byte, value uint64) error {
		switch number {
		case 1, 3, 4:
			counts[number] = int64(value)
		case 2:
			if ids > 0 {
				b = append(b, ',')
			}
			ids++
			b = hubjson.AppendString(b, string(text))
		}
		return nil
	})
	b = strconv.AppendInt(append(b, `],"closed":`...), counts[1], 10)
	b = strconv.AppendInt(append(b, `,"missing":`...), counts[3], 10)
	b = strconv.AppendInt(append(b, `,"stale":`...), counts[4], 10)
	return append(b, '}'), err
}
