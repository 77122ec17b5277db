package field

import "encoding/json"

// JSON checks an optional JSON text of at most limit bytes, with at most depth objects and arrays inside
// each other.
func (c *Checks) JSON(name, value string, limit, depth int) {
	if c.first != nil || value == "" {
		return
	}
	switch {
	case len(value) > limit:
		c.Fail(name, "must be at most %d bytes", limit)
	case nesting(value) > depth:
		c.Fail(name, "must be nested at most %d deep", depth)
	case !json.Valid([]byte(value)):
		c.Fail(name, "must be JSON")
	}
}

// nesting is how deep the objects and arrays of a JSON text are inside each other.
func nesting(text string) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}
