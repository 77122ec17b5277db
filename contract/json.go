package contract

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

func jsonCases() []testCase {
	return []testCase{
		settled("a body is exactly one object", eachBody(jsonOneObject)),
		settled("JSON that cannot be read is refused", eachBody(jsonBroken)),
		settled("duplicate keys are refused", eachBody(jsonDuplicates)),
		settled("invalid UTF-8 is refused", eachBody(jsonInvalidUTF8)),
		settled("deep nesting is refused or ignored and never fails the server", eachBody(jsonDeep)),
		settled("an empty body where one is needed is refused as no object", jsonEmpty),
		settled("white space around the object is allowed", jsonWhiteSpace),
		settled("a body at the limit is read and one above it is refused", jsonLimit),
		settled("a body far above the limit is refused with and without a length", jsonHuge),
	}
}

func jsonOneObject(t *testing.T, s *suite, b bodySpec) {
	valid := string(marshal(t, b.valid))
	for _, body := range []string{
		"null", "true", "5", `"text"`, "[]", "[" + valid + "]",
		valid + valid, valid + "\n" + valid, valid + ",", valid + "x", valid + "}", valid + "null", valid + "\x00", "{}" + valid,
	} {
		b.refusesRaw(t, s, []byte(body))
	}
}

func jsonBroken(t *testing.T, s *suite, b bodySpec) {
	valid := string(marshal(t, b.valid))
	name := b.fields[0].name
	for _, body := range []string{
		" ", "{", "}", valid[:len(valid)-1], valid[1:], valid[:len(valid)/2],
		strings.TrimSuffix(valid, "}") + ",}", "{," + valid[1:], strings.Replace(valid, ":", "=", 1),
		strings.ReplaceAll(valid, `"`, "'"), "/* comment */" + valid, valid + "// comment", "\ufeff" + valid,
		`{` + name + `:"x"}`, `{"` + name + `"}`, `{"` + name + `":}`, `{"` + name + `":"x}`, `{"` + name + `":undefined}`,
		`{"` + name + `":NaN}`, `{"` + name + `":+1}`, `{"` + name + `":01}`, `{"` + name + `":"\x"}`, `{"` + name + `":"\u12"}`,
		"{\"" + name + "\":\"a\nb\"}", name + "=x", "<xml/>",
	} {
		b.refusesRaw(t, s, []byte(body))
	}
	utf16 := bytes.Buffer{}
	for _, c := range []byte(valid) {
		utf16.Write([]byte{0, c})
	}
	b.refusesRaw(t, s, utf16.Bytes())
}

func jsonDuplicates(t *testing.T, s *suite, b bodySpec) {
	valid := marshal(t, b.valid)
	for _, f := range b.fields {
		again := marshal(t, fields{f.name: b.valid[f.name]})
		body := append(append([]byte{}, again[:len(again)-1]...), ',')
		b.refusesRaw(t, s, append(body, valid[1:]...))
	}
	if b.name == "push" {
		b.refusesRaw(t, s, b.rawWith(t, "actions", `[{"label":"a","label":"b"}]`))
		b.refusesRaw(t, s, b.rawWith(t, "actions", `[{"url":"/a","\u0075rl":"/b"}]`))
	}
}

func jsonInvalidUTF8(t *testing.T, s *suite, b bodySpec) {
	for _, f := range b.fields {
		for _, bad := range []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", `\ud800`, `\udc00\ud800`} {
			b.refusesRaw(t, s, b.rawWith(t, f.name, `"a`+bad+`b"`))
		}
	}
	if b.name == "push" {
		b.refusesRaw(t, s, b.rawWith(t, "targetUsernames", "[\"a\xff\"]"))
		b.refusesRaw(t, s, b.rawWith(t, "actions", "[{\"label\":\"a\xff\"}]"))
	}
	b.refusesRaw(t, s, append([]byte("{\"a\xff\":1,"), marshal(t, b.valid)[1:]...))
}

func jsonDeep(t *testing.T, s *suite, b bodySpec) {
	for _, depth := range []int{10_001, 100_000, 1_000_000} {
		if 2*depth+4096 > s.set.MaxBody {
			continue
		}
		open, closed := strings.Repeat("[", depth), strings.Repeat("]", depth)
		b.refusesRaw(t, s, []byte(open))
		b.refusesRaw(t, s, []byte(open+closed))
		b.refusesRaw(t, s, []byte(strings.Repeat(`{"a":`, depth/4)))
		b.refusesRaw(t, s, b.rawWith(t, b.fields[0].name, open+closed))
	}
	path, body := b.fresh(t)
	data := marshal(t, body)
	nested := `{"unknown":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + ","
	s.main.post(t, path, append([]byte(nested), data[1:]...)).ok(t)
}

func jsonEmpty(t *testing.T, s *suite) {
	for _, b := range s.bodies(t) {
		for _, header := range []http.Header{nil, {"Content-Type": nil}, {"Content-Type": {"text/plain"}}, {"Content-Type": {"application/x-www-form-urlencoded"}}} {
			a := s.main.send(t, request{method: http.MethodPost, path: b.path, header: header, body: []byte{}})
			a.fails(t, http.StatusBadRequest)
		}
		b.untouched(t)
	}
}

func jsonWhiteSpace(t *testing.T, s *suite) {
	for _, b := range s.bodies(t) {
		path, body := b.fresh(t)
		data := string(marshal(t, body))
		data = "\r\n\t " + strings.Replace(data, "{", "{\n\t", 1) + " \n"
		s.main.post(t, path, data).ok(t)
	}
}

func jsonLimit(t *testing.T, s *suite) {
	for _, b := range s.bodies(t) {
		path, body := b.fresh(t)
		data := marshal(t, body)
		data = append(data, bytes.Repeat([]byte(" "), s.set.MaxBody-len(data))...)
		s.main.post(t, path, data).ok(t)
		s.main.rawBody(t, b.path, s.set.MaxBody+1, false).fails(t, http.StatusRequestEntityTooLarge)
		s.main.rawBody(t, b.path, s.set.MaxBody+1, true).fails(t, http.StatusRequestEntityTooLarge)
		b.untouched(t)
	}
}

func jsonHuge(t *testing.T, s *suite) {
	const size = 20 << 20
	for _, path := range []string{todosPath, messagesPath, todoPath(fresh("x"), "clear")} {
		for _, chunked := range []bool{false, true} {
			s.main.rawBody(t, path, max(size, 2*s.set.MaxBody), chunked).fails(t, http.StatusRequestEntityTooLarge)
		}
	}
}
