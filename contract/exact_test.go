package contract

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Label string `json:"label"`
}

type outer struct {
	Name  string  `json:"name"`
	Maybe *string `json:"maybe"`
	List  []inner `json:"list"`
	inner
}

func TestDecodeExact(t *testing.T) {
	got, err := decodeExact[outer]([]byte(`{"label":"l","list":[{"label":"x"}],"name":"n","maybe":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := outer{Name: "n", List: []inner{{"x"}}, inner: inner{"l"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outer{})); diff != "" {
		t.Errorf("the value differs (-want +got):\n%s", diff)
	}
}

func TestDecodeExactRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a missing key":         `{"label":"l","list":[],"name":"n"}`,
		"an unknown key":        `{"label":"l","list":[],"name":"n","maybe":null,"more":1}`,
		"another spelling":      `{"label":"l","list":[],"Name":"n","maybe":null}`,
		"a repeated key":        `{"label":"l","list":[],"name":"n","maybe":null,"name":"m"}`,
		"a null string":         `{"label":"l","list":[],"name":null,"maybe":null}`,
		"a null list":           `{"label":"l","list":null,"name":"n","maybe":null}`,
		"a null entry":          `{"label":"l","list":[null],"name":"n","maybe":null}`,
		"an entry with more":    `{"label":"l","list":[{"label":"x","url":"y"}],"name":"n","maybe":null}`,
		"a number for a string": `{"label":"l","list":[],"name":5,"maybe":null}`,
		"a list":                `[]`,
		"two objects":           `{"label":"l","list":[],"name":"n","maybe":null}{}`,
		"an open object":        `{"label":"l","list":[],"name":"n","maybe":null`,
		"nothing":               ``,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := decodeExact[outer]([]byte(text)); err == nil {
				t.Errorf("%s was read as %+v", text, got)
			}
		})
	}
}

func TestParseSuccess(t *testing.T) {
	if data, err := parseSuccess([]byte(`{"code":"0","msg":"","data":{"x":1}}`)); err != nil || string(data) != `{"x":1}` {
		t.Errorf("data %s, error %v", data, err)
	}
	for _, text := range []string{
		`{"code":0,"msg":"","data":null}`, `{"code":"1","msg":"","data":null}`, `{"code":"0","data":null}`, `{"code":"0","msg":""}`,
		`{"code":"0","msg":null,"data":null}`, `{"code":"0","msg":"","data":null,"count":0}`, `{"code":"-1","msg":"x","data":null}`, `null`, `x`,
	} {
		if _, err := parseSuccess([]byte(text)); err == nil {
			t.Errorf("%s was taken for a success", text)
		}
	}
}

func TestParseFailure(t *testing.T) {
	if msg, err := parseFailure([]byte(`{"code":"-1","msg":"x must not be empty","data":null}`)); err != nil || msg != "x must not be empty" {
		t.Errorf("message %q, error %v", msg, err)
	}
	for _, text := range []string{
		`{"code":-1,"msg":"x","data":null}`, `{"code":"0","msg":"x","data":null}`, `{"code":"-1","msg":"","data":null}`,
		`{"code":"-1","msg":" ","data":null}`, `{"code":"-1","msg":"x","data":{}}`, `{"code":"-1","msg":"x"}`, `{"code":"-1","msg":"x","data":null,"error":1}`,
	} {
		if _, err := parseFailure([]byte(text)); err == nil {
			t.Errorf("%s was taken for a failure", text)
		}
	}
}

func TestParsePage(t *testing.T) {
	page := func(data, page string, count int) []byte {
		text, err := json.Marshal(map[string]any{"code": "0", "msg": "", "data": json.RawMessage(data), "page": json.RawMessage(page), "count": count})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if _, err := parsePage(page(`[{},{}]`, `{"page":1,"totalCount":3,"totalPages":2,"size":2}`, 2)); err != nil {
		t.Error(err)
	}
	if _, err := parsePage(page(`[]`, `{"page":1,"totalCount":0,"totalPages":0,"size":20}`, 0)); err != nil {
		t.Error(err)
	}
	for name, text := range map[string][]byte{
		"a wrong count":        page(`[{}]`, `{"page":1,"totalCount":1,"totalPages":1,"size":2}`, 2),
		"wrong pages":          page(`[{}]`, `{"page":1,"totalCount":3,"totalPages":1,"size":2}`, 1),
		"a page from 0":        page(`[{}]`, `{"page":0,"totalCount":1,"totalPages":1,"size":2}`, 1),
		"more than the size":   page(`[{},{},{}]`, `{"page":1,"totalCount":3,"totalPages":2,"size":2}`, 3),
		"a page of strings":    page(`[]`, `{"page":"1","totalCount":"0","totalPages":"0","size":"20"}`, 0),
		"null for no entries":  page(`null`, `{"page":1,"totalCount":0,"totalPages":0,"size":20}`, 0),
		"a total that is gone": page(`[]`, `{"page":1,"totalPages":0,"size":20}`, 0),
		"no page":              []byte(`{"code":"0","msg":"","data":[]}`),
	} {
		if _, err := parsePage(text); err == nil {
			t.Errorf("%s: %s was taken for a list", name, text)
		}
	}
}
