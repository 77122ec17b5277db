package grpcserver

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"example.com/hub/pkg/field"
)

// Entries say how many entries the lists in requests may have, by the full name of their field, such as
// hub.message.v1.PushMessageRequest.actions. An entry takes two bytes on the wire and many times that in
// memory, so a longer list is refused before it is decoded. Lists of numbers come packed and
// are not counted.
//
// One entry more is let through: then the service refuses it, in the order of its checks. The text is
// that of field.Checks in both cases.
type Entries map[protoreflect.FullName]int

// check gives the fault of the first list that is longer than the service needs to see.
func (e Entries) check(m protoreflect.MessageDescriptor, raw []byte) error {
	if len(e) == 0 {
		return nil
	}
	return e.checkIn("", m, raw)
}

// checkIn is check for a message at a path, which is empty or ends with a dot.
func (e Entries) checkIn(path string, m protoreflect.MessageDescriptor, raw []byte) error {
	counts := map[protoreflect.FieldNumber]int{}
	for len(raw) > 0 {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return errMalformed
		}
		size := protowire.ConsumeFieldValue(number, kind, raw[n:])
		if size < 0 {
			return errMalformed
		}
		value := raw[n : n+size]
		raw = raw[n+size:]

		f := m.Fields().ByNumber(number)
		if f == nil {
			continue
		}
		if f.Cardinality() == protoreflect.Repeated {
			counts[number]++
			if most, limited := e[f.FullName()]; limited && counts[number] > most+1 {
				var c field.Checks
				c.Entries(path+string(f.Name()), counts[number], most)
				return c.Err()
			}
		}
		if f.Message() == nil || kind != protowire.BytesType {
			continue
		}
		at := path + string(f.Name())
		if n := counts[number]; n > 0 {
			at = fmt.Sprintf("%s[%d]", at, n-1)
		}
		inner, _ := protowire.ConsumeBytes(value)
		if err := e.checkIn(at+".", f.Message(), inner); err != nil {
			return err
		}
	}
	return nil
}
