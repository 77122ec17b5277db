package chaos

import (
	"fmt"
	"net/http"
	"strconv"
)

// letter is a message to one user as its callers know it.
type letter struct {
	id, user, app string
	// fates are those of its pushes, each of which has a content of its own.
	fates []fate
	// maker is the push that was told to have stored it, or -1.
	maker int
	// reads is how many mark-reads were asked for, switched how many of them were told to have switched it.
	reads, switched int
	// read is the best fate of a mark-read; void without one.
	read fate
}

func (l *letter) content(push int) string { return fmt.Sprintf("%s by push %d", l.id, push) }

// isDone tells whether a push was answered.
func (l *letter) isDone() bool {
	for _, f := range l.fates {
		if f == done {
			return true
		}
	}
	return false
}

// push is one call for a letter.
type push struct {
	*letter
	n    int
	want int
}

func (p *push) String() string { return fmt.Sprintf("push of %q", p.content(p.n)) }

func (p *push) body() map[string]any {
	body := map[string]any{
		"sourceMessageId": p.id, "targetUsernames": []string{p.user}, "title": "t", "content": p.content(p.n),
	}
	if p.want != http.StatusOK {
		delete(body, "title")
	}
	return body
}

// push is one more push of a message, which is refused if it is bad.
func (w *witness) push(id, user, app string, bad bool) *push {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.messages[id]
	if l == nil {
		l = &letter{id: id, user: user, app: app, maker: -1, read: void}
		w.messages[id] = l
	}
	p := &push{letter: l, n: len(l.fates), want: http.StatusOK}
	if bad {
		p.want = http.StatusBadRequest
		l.fates = append(l.fates, void)
	} else {
		l.fates = append(l.fates, unknown)
	}
	return p
}

// pushed takes the answer to a push, and tells whether it is the first that says that the message is stored.
func (w *witness) pushed(p *push, r *reply, err error) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answered(p, p.want, r, err) {
		return false
	}
	created, duplicates := r.header.Get("Hub-Created"), r.header.Get("Hub-Duplicates")
	switch {
	case created == "1" && duplicates == "0" && p.maker < 0:
		p.maker = p.n
	case created == "0" && duplicates == "1" && (len(p.fates) > 1 || !w.calm):
		w.counts["duplicate"]++
	default:
		w.blame("%v, of %d, was answered with %q created and %q duplicates, and push %d had stored it",
			p, len(p.fates), created, duplicates, p.maker)
	}
	first = !p.isDone()
	p.fates[p.n] = done
	return first
}

// read is a call that marks a letter as read.
type read struct {
	*letter
	// user is the letter's, or somebody else, who has no record of it.
	user string
}

func (r *read) String() string { return fmt.Sprintf("mark read of %s by %s", r.id, r.user) }

// markRead is a mark-read of a message that is known to be stored; nil when it is not.
func (w *witness) markRead(id, by string) *read {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.messages[id]
	if l == nil || !l.isDone() {
		return nil
	}
	if by == l.user {
		l.reads++
		if l.read == void {
			l.read = unknown
		}
	}
	return &read{l, by}
}

// marked takes the answer to a mark-read, and tells whether it is the first that says that the message is read.
func (w *witness) marked(m *read, r *reply, err error) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answered(m, http.StatusOK, r, err) {
		return false
	}
	switched, err := strconv.Atoi(r.header.Get("Hub-Switched"))
	own := m.user == m.letter.user
	m.switched += switched
	if err != nil || m.switched > 1 || !own && switched != 0 || own && switched == 0 && w.calm && m.reads == 1 {
		w.blame("%v, one of %d, was answered with %q switched, together %d", m, m.reads, r.header.Get("Hub-Switched"), m.switched)
	}
	if switched == 0 {
		w.counts["nothing switched"]++
	}
	if !own || m.read == done {
		return false
	}
	m.read = done
	return true
}

// messageFaults compares messages with what is stored of a user.
func (w *witness) messageFaults(user string, records []record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stored := map[string]record{}
	for _, r := range records {
		if again, ok := stored[r.SourceMessageID]; ok && again.ID != r.ID {
			w.blame("%s has %+v and %+v", user, again, r)
		}
		stored[r.SourceMessageID] = r
		if l := w.messages[r.SourceMessageID]; l == nil || l.user != user {
			w.blame("%s has %+v, which nobody pushed", user, r)
		}
	}
	for id, l := range w.messages {
		if l.user != user {
			continue
		}
		got, ok := stored[id]
		if !ok {
			if l.isDone() {
				w.blame("the push of %s was answered, and it is not stored", id)
			}
			continue
		}
		asked := false
		for n, f := range l.fates {
			asked = asked || f != void && got.Content == l.content(n) && got.SourceAppID == l.app && (l.maker < 0 || l.maker == n)
		}
		if !asked {
			w.blame("%+v is stored, and was refused, or push %d was told that it stored it", got, l.maker)
		}
		if isRead := got.Status == "READ"; isRead && l.read == void || !isRead && l.read == done {
			w.blame("%+v is stored, after %d mark-reads, of which %d were told that they switched it", got, l.reads, l.switched)
		}
	}
}
