package demoidp

// user is one of the people of the demo.
type user struct {
	username, name, note string
	roles                []string
}

var users = []user{
	{username: "amy", name: "Amy", note: "no role"},
	{username: "ben", name: "Ben", note: "staff", roles: []string{"staff"}},
	{username: "carla", name: "Carla", note: "hub-admin", roles: []string{"hub-admin"}},
}

func userOf(username string) (user, bool) {
	for _, u := range users {
		if u.username == username {
			return u, true
		}
	}
	return user{}, false
}

// subject differs from the username, as it does with real providers.
func (u user) subject() string { return "demo-" + u.username }

// claims tell of the person in both tokens.
func (u user) claims() map[string]any {
	roles := u.roles
	if roles == nil {
		roles = []string{}
	}
	return map[string]any{
		"sub": u.subject(), "preferred_username": u.username, "name": u.name,
		"email": u.username + "@hub.example", "roles": roles,
	}
}
