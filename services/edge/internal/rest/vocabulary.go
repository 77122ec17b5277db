package rest

import (
	"strings"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// unknown is an enum number that no hub accepts. A word that is not in the vocabulary travels as this
// number, so that the hub reports it in its turn among the other fields.
const unknown = -1

// vocabulary maps the contract's words to an enum; a word stands at its number, and 0 has none.
type vocabulary[E ~int32] []string

// The contract's enumerations.
var (
	todoTypes       = vocabulary[todov1.TodoType]{"", "HANDLE", "REVIEW"}
	todoStatuses    = vocabulary[todov1.TodoStatus]{"", "OPEN", "CLEARED", "INVALID"}
	messageStatuses = vocabulary[messagev1.MessageStatus]{"", "UNREAD", "READ"}
)

// The fields that lists can be ordered by.
var (
	todoSortFields = vocabulary[todov1.TodoSortField]{
		"", "modifyTime", "createTime", "dueAt", "clearedAt", "title", "category", "sourceSystem", "id",
	}
	inboxSortFields = vocabulary[messagev1.InboxSortField]{
		"", "occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id",
	}
)

// parse gives the number of a word, 0 for none and unknown for any other text. Words are exact.
func (v vocabulary[E]) parse(word string) E {
	for number, known := range v {
		if word == known {
			return E(number)
		}
	}
	return unknown
}

// parseField is parse for a field of a body, where blank text is no word, as in fields of other kinds.
func (v vocabulary[E]) parseField(text string) E {
	if strings.TrimSpace(text) == "" {
		return 0
	}
	return v.parse(text)
}

// word gives the word of a number, or "" for one that this edge does not know.
func (v vocabulary[E]) word(number E) string {
	if number < 0 || int(number) >= len(v) {
		return ""
	}
	return v[number]
}
