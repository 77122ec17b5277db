package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// fate is what is known of a call once it is over.
type fate int

const (
	// unknown: there was no answer, or one of 5xx. It may have had its effect, or have it still.
	unknown fate = iota
	// done: it was answered with 200.
	done
	// void: it was refused, or must be, so that nothing of it may be stored.
	void
)

// witness keeps what callers asked for and what they were told, for the comparison with what is stored.
type witness struct {
	mu       sync.Mutex
	todos    map[string]*account
	messages map[string]*letter
	// calm says that nothing is broken on purpose, so that no call is repeated on its way.
	calm bool
	// counts are the calls by what became of them.
	counts map[string]int
	wrong  []string
}

func newWitness() *witness {
	return &witness{todos: map[string]*account{}, messages: map[string]*letter{}, calm: true, counts: map[string]int{}}
}

// account is a todo as its callers know it. The version says which of its upserts is which.
type account struct {
	id, user, source string
	fates            map[int64]fate
	// floor is the highest version that was answered.
	floor int64
}

func (a *account) title(version int64) string { return fmt.Sprintf("%s as of %d", a.id, version) }

// upsert is one call for an account.
type upsert struct {
	*account
	version int64
	// floor is that of the account when the call was made.
	floor int64
	// want is the status that it must have, unless its fate is unknown.
	want int
	url  string
}

func (u *upsert) String() string { return fmt.Sprintf("upsert of %q", u.title(u.version)) }

// body has no version where the account has none yet, and never gets one.
func (u *upsert) body() map[string]any {
	body := map[string]any{
		"todoId": u.id, "type": "HANDLE", "sourceBizId": "1", "assigneeUsername": u.user,
		"title": u.title(u.version), "category": "c", "actionUrl": u.url,
	}
	if u.version > 0 || u.floor > 0 {
		body["sourceVersion"] = u.version
	}
	return body
}

// seeded is the first upsert of a todo by its client, which is made before the others begin.
func (w *witness) seeded(id, user, source string) *upsert {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.account(id, user, source)
	a.fates[1], a.floor = done, 1
	return &upsert{account: a, version: 1, url: "/1"}
}

// create is an upsert without a version, of a todo that nobody knows.
func (w *witness) create(user, client string) *upsert {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.account(fmt.Sprintf("new-%d", len(w.todos)), user, client)
	a.fates[0] = unknown
	return &upsert{account: a, want: http.StatusOK, url: "/1"}
}

// replace is an upsert of a newer version, which is refused to other clients than the one that created the todo, and
// for an URL that is not allowed.
func (w *witness) replace(id, user, source, client, url string) *upsert {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.account(id, user, source)
	u := &upsert{account: a, version: int64(len(a.fates) + 1), floor: a.floor, want: http.StatusOK, url: url}
	switch {
	case url != "/1":
		u.want = http.StatusBadRequest
	case a.source != client:
		u.want = http.StatusForbidden
	}
	a.fates[u.version] = unknown
	if u.want != http.StatusOK {
		a.fates[u.version] = void
	}
	return u
}

// outdated is an upsert of a version below that which is known to be stored, if one is.
func (w *witness) outdated(id, client string) *upsert {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.todos[id]; a != nil && a.floor > 0 && a.source == client {
		return &upsert{account: a, floor: a.floor, want: http.StatusOK, url: "/1"}
	}
	return nil
}

// account is called with the lock.
func (w *witness) account(id, user, source string) *account {
	a := w.todos[id]
	if a == nil {
		a = &account{id: id, user: user, source: source, fates: map[int64]fate{}}
		w.todos[id] = a
	}
	return a
}

// answered tells whether a call was answered with what it must be, and notes what is wrong. It is called with
// the lock.
func (w *witness) answered(call fmt.Stringer, want int, r *reply, err error) bool {
	switch {
	case err != nil || r.status >= http.StatusInternalServerError:
		w.counts["unknown"]++
		return false
	case r.status != want:
		w.blame("%v was answered with %d %s, and must be with %d", call, r.status, r.body, want)
		return false
	}
	w.counts[fmt.Sprint(want)]++
	return want == http.StatusOK
}

// answers is how many calls were answered as they must be.
func (w *witness) answers() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts["200"] + w.counts["400"] + w.counts["403"]
}

// rouse ends the calm.
func (w *witness) rouse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calm = false
}

func (w *witness) blame(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// upserted takes the answer to an upsert.
func (w *witness) upserted(u *upsert, r *reply, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answered(u, u.want, r, err) {
		return
	}
	var answer struct {
		Data item `json:"data"`
	}
	if err := json.Unmarshal(r.body, &answer); err != nil {
		w.blame("%v was answered with %s", u, r.body)
		return
	}
	got, stale := answer.Data, r.header.Get("Hub-Stale") == "true"
	if got.ID != u.id || got.Title != u.title(got.SourceVersion) ||
		stale == (got.SourceVersion == u.version) || stale && got.SourceVersion < max(u.version, u.floor) || !stale && u.version < u.floor {
		w.blame("%v, when %d was stored, was answered with %+v, stale: %v", u, u.floor, got, stale)
		return
	}
	if stale {
		w.counts["stale"]++
	} else {
		u.fates[u.version] = done
	}
	u.account.floor = max(u.account.floor, got.SourceVersion)
}

// todoFaults compares todos with what is stored of a user.
func (w *witness) todoFaults(user string, items []item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stored := map[string]item{}
	for _, i := range items {
		stored[i.ID] = i
		if a := w.todos[i.ID]; a == nil || a.user != user {
			w.blame("%s has %+v, which nobody reported", user, i)
		}
	}
	for id, a := range w.todos {
		if a.user != user {
			continue
		}
		got, ok := stored[id]
		f, asked := a.fates[got.SourceVersion]
		switch {
		case !ok:
			for version, f := range a.fates {
				if f == done {
					w.blame("%q was answered and is not stored", a.title(version))
				}
			}
		case !asked || f == void || got.Title != a.title(got.SourceVersion) || got.SourceSystem != a.source:
			w.blame("%+v is stored, and was never asked for or refused", got)
		case got.SourceVersion < a.floor:
			w.blame("%+v is stored, and %q was answered", got, a.title(a.floor))
		}
	}
}
