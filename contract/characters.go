package contract

import "testing"

func characterCases() []testCase {
	return []testCase{
		settled("NUL is refused in every field", eachBody(charactersNUL)),
		settled("control characters are refused in ids and usernames", eachBody(charactersControl)),
		settled("control characters are allowed in texts", eachBody(charactersText)),
		settled("control characters are refused in targets", charactersTargets),
		settled("the ids . and .. are refused", charactersDots),
	}
}

func charactersNUL(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		for _, value := range []string{"\x00", "a\x00", "\x00a", "a\x00b"} {
			b.refuses(t, s, b.valid.with(f.name, value), f.name)
		}
	}
}

func charactersControl(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		if f.kind != identifier && f.kind != address {
			continue
		}
		for _, control := range []string{"\n", "\r", "\t", "\x01", "\x1b", "\x1f", "\x7f", "\u0080", "\u0085", "\u009f"} {
			for _, value := range []string{"a" + control + "b", control + "a", "a" + control} {
				b.refuses(t, s, b.valid.with(f.name, value), f.name)
			}
		}
	}
}

func charactersText(t *testing.T, s *suite, b bodySpec) {
	const text = "a\r\n\tb\x01\x1b\x7f\u0085c"
	for _, f := range b.fields {
		if f.kind != freeText && f.kind != freeBytes {
			continue
		}
		path, body := b.fresh(t)
		body = body.with(f.name, text)
		if got := b.shows(t, s.main.post(t, path, body), body, f.name); got != text {
			t.Errorf("%s came back as %q", f.name, got)
		}
	}
}

func charactersTargets(t *testing.T, s *suite) {
	b := s.pushBody(t)
	for _, value := range []string{"a\x00b", "a\nb", "\ra", "a\x7f", "a\u0085b"} {
		b.refuses(t, s, b.valid.with("targetUsernames", []string{b.valid.target(), value}), "targetUsernames")
	}
	b.untouched(t)
}

func charactersDots(t *testing.T, s *suite) {
	for _, id := range []string{".", ".."} {
		s.main.post(t, todosPath, newTodo().with("todoId", id)).failsNaming(t, "todoId")
		s.main.post(t, messagesPath, newMessage().with("sourceMessageId", id)).failsNaming(t, "sourceMessageId")
	}
	for _, id := range []string{"...", ".x", "x."} {
		item := s.main.upsert(t, newTodo().with("todoId", fresh("dots")+id))
		s.main.clear(t, item.ID, fields{"result": "done"})
	}
}
