package directory

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/hub/pkg/jsontext"
	"example.com/hub/services/edge/internal/rest"
)

// writeReconciled writes a peoplev1.ReconcileUsersResponse.
func writeReconciled(b []byte, a *rest.Answer) ([]byte, error) {
	var counts [4]int64
	ids := 0
	b = append(b, `{"closedIds":[`...)
	err := a.Fields(func(number protowire.Number, text []byte, value uint64) error {
		switch number {
		case 1, 3:
			counts[number] = int64(value)
		case 2:
			if ids > 0 {
				b = append(b, ',')
			}
			ids++
			b = jsontext.AppendString(b, string(text))
		}
		return nil
	})
	b = strconv.AppendInt(append(b, `],"closed":`...), counts[1], 10)
	b = strconv.AppendInt(append(b, `,"missing":`...), counts[3], 10)
	return append(b, '}'), err
}
