package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"example.com/hub/test/bench/internal/load"
)

// alike checks that both sides answer a call with the same fields, as many items and the same total, in
// bodies of about the same length: a baseline that answers less would be no baseline.
func alike(ctx context.Context, sides []side, c calls) error {
	var bodies, shapes [2]string
	for i, s := range sides {
		conn, err := load.Dial(ctx, s.addr)
		if err != nil {
			return err
		}
		body, err := conn.Do(c(s.token)(0, nil), true)
		_ = conn.Close()
		if err != nil {
			return err
		}
		var answer struct {
			Code  string
			Count int
			Page  struct{ TotalCount int }
			Data  any
		}
		if err := json.Unmarshal(body, &answer); err != nil || answer.Code != "0" {
			return fmt.Errorf("unexpected answer %s: %w", body, err)
		}
		shapes[i] = fmt.Sprintf("%d of %d, fields %v", answer.Count, answer.Page.TotalCount, fields(answer.Data))
		bodies[i] = string(body)
	}
	if shapes[0] != shapes[1] {
		return fmt.Errorf("the two sides do not answer the same: %s, and %s", shapes[0], shapes[1])
	}
	// Names and numbers in the items differ in length from call to call.
	if longer, shorter := max(len(bodies[0]), len(bodies[1])), min(len(bodies[0]), len(bodies[1])); longer > shorter*11/10 {
		return fmt.Errorf("one side answers %d bytes and the other %d: %s, and %s", len(bodies[0]), len(bodies[1]), bodies[0], bodies[1])
	}
	return nil
}

// fields are the names of an item's fields, or of those of the first item of a page.
func fields(data any) []string {
	if page, ok := data.([]any); ok && len(page) > 0 {
		data = page[0]
	}
	item, _ := data.(map[string]any)
	return slices.Sorted(maps.Keys(item))
}
