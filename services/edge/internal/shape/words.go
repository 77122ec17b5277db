package shape

import "strings"

// Unknown is an enum number that no hub accepts. A word that is not in the vocabulary travels as this
// number, so that the hub reports it in its turn among the other fields.
const Unknown = -1

// Words map the contract's words to an enum; a word stands at its number, and 0 has none.
type Words[E ~int32] []string

// Parse gives the number of a word, 0 for none and Unknown for any other text. Words are exact unless
// they may have any case of letters.
func (v Words[E]) Parse(word string, anyCase bool) E {
	for number, known := range v {
		if word == known || anyCase && strings.EqualFold(word, known) {
			return E(number)
		}
	}
	return Unknown
}

// ParseField is Parse for a field of a body, where blank text is no word, as in fields of other kinds.
func (v Words[E]) ParseField(text string, anyCase bool) E {
	if strings.TrimSpace(text) == "" {
		return 0
	}
	return v.Parse(text, anyCase)
}

// word gives the word of a number, or "" for one that this edge does not know.
func (v Words[E]) word(number E) string {
	if number < 0 || int(number) >= len(v) {
		return ""
	}
	return v[number]
}
