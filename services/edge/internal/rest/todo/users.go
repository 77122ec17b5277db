package todo

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// userID is a user of an upsert who is named by an id.
type userID struct {
	// item is the upsert's place in a batch.
	item int
	// field is the name of the id in faults.
	field string
	// place has the id, and then the username.
	place *string
}

// fillUsers fills in the users of an upsert, and gives those that are named by ids.
func (in *UpsertBody) fillUsers(m *todov1.UpsertTodoRequest, item int) (users []userID, err error) {
	byID, err := username(&m.AssigneeUsername, in.AssigneeUsername, "assigneeUserId", in.AssigneeUserID)
	if err != nil {
		return nil, err
	}
	if byID {
		users = append(users, userID{item, "assignee user id", &m.AssigneeUsername})
	}
	if byID, err = username(&m.InitiatorUsername, in.InitiatorUsername, "initiatorUserId", in.InitiatorUserID); err != nil {
		return nil, err
	}
	if byID {
		users = append(users, userID{item, "initiator user id", &m.InitiatorUsername})
	}
	return users, nil
}

// username puts the name of a user, or the id where there is no name, into its place. The id is looked at
// only then: a client may have sent anything by that name before there were ids.
func username(place, name *string, field string, id jsontext.Value) (byID bool, err error) {
	if name != nil {
		*place = *name
		return false, nil
	}
	if len(id) > 0 && json.Unmarshal(id, place) != nil {
		return false, fmt.Errorf("%s must be a string", field)
	}
	return *place != "", nil
}

// nameUsers has the ids become usernames. An id that is nobody's fails its item.
func nameUsers(r *rest.Request, users []userID, fail func(item int, err error) error) {
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = *u.place
	}
	r.NameUsers(ids, func(usernames []string) error {
		for i, u := range users {
			*u.place = usernames[i]
			if err := rest.KnownUser(u.field, ids[i], usernames[i]); err != nil {
				if err := fail(u.item, err); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
