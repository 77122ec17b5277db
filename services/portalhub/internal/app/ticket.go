package app

import "strings"

// ticketParam is the parameter that the edge adds to the address of a jump into an app with tickets.
const ticketParam = "ticket"

// namesTicket tells whether some reader of the query of an address finds a ticket in it, which would be somebody
// else's: names are decoded once or more, with any case of letters, what stands around them is left out or makes
// lists of them, and a semicolon parts parameters, too.
func namesTicket(address string) bool {
	_, query, _ := strings.Cut(address, "?")
	for {
		for param := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
			name, _, _ := strings.Cut(param, "=")
			if strings.EqualFold(word(name), ticketParam) {
				return true
			}
		}
		decoded := decode(strings.ReplaceAll(query, "+", " "))
		if decoded == query {
			return false
		}
		query = decoded
	}
}

// word is the first run of letters, digits, - and _ in a name.
func word(name string) string {
	name = strings.TrimLeftFunc(name, func(r rune) bool { return !inWord(r) })
	if end := strings.IndexFunc(name, func(r rune) bool { return !inWord(r) }); end >= 0 {
		return name[:end]
	}
	return name
}

func inWord(r rune) bool {
	return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
