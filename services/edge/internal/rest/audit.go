package rest

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"example.com/hub/pkg/auth"
)

// audited is what the line of an administrator's call has beyond that of every request.
type audited struct {
	user string
	// path are the variables of the path by their names.
	path map[string]string
	// made are the ids of what a Transfer has made.
	made []slog.Attr
}

// audit has a user's call that needs a permission leave a line in the log, whatever becomes of it.
func (x *exchange) audit(rule auth.Rule, p auth.Principal, path map[string]string) {
	if rule.Permission != "" && p.User != "" {
		x.audited = &audited{user: p.User, path: path}
	}
}

// Audit adds an id that stands in the body to the line of an administrator's call. Those in the path and in
// the query are in it.
func (r *Request) Audit(name, id string) {
	r.audited = append(r.audited, slog.String(name, cut(id)))
}

// AuditMade adds the id of what a Transfer has made to the line of an administrator's call.
func AuditMade(ctx context.Context, name, id string) {
	if a := exchangeOf(ctx).audited; a != nil {
		a.made = append(a.made, slog.String(name, cut(id)))
	}
}

// logAudit writes who has called what of which ids.
func (h *Handler) logAudit(ctx context.Context, x *exchange) {
	if x.audited == nil {
		return
	}
	var ids []slog.Attr
	for _, name := range slices.Sorted(maps.Keys(x.audited.path)) {
		ids = append(ids, slog.String(name, cut(x.audited.path[name])))
	}
	if x.buffers != nil {
		query := x.buffers.request.query
		for _, name := range slices.Sorted(maps.Keys(query)) {
			if namesID(name) {
				ids = append(ids, slog.String(snake(name), cut(strings.Join(query[name], ","))))
			}
		}
		ids = append(append(ids, x.buffers.request.audited...), x.buffers.written.audited...)
	}
	ids = append(ids, x.audited.made...)
	h.logger.LogAttrs(ctx, slog.LevelInfo, "administrator's call",
		slog.Bool("audit", true),
		slog.String("user", x.audited.user),
		slog.String("route", x.route.name),
		slog.Int("status", x.Status),
		slog.GroupAttrs("ids", ids...),
	)
}

// namesID tells whether a parameter is the id of something. Nothing else of a query is in the log: somebody
// may put a token there.
func namesID(parameter string) bool {
	switch parameter {
	case "userId", "username", "deptId", "roleId", "appId", "sourceAppId", "sourceSystem", "channelId":
		return true
	}
	return false
}

// snake writes a parameter as keys of the log are written.
func snake(name string) string {
	var out strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			out.WriteByte('_')
			c += 'a' - 'A'
		}
		out.WriteRune(c)
	}
	return out.String()
}

// maxAudited is the longest text of an id in the log, in bytes. An id that is longer is refused.
const maxAudited = 1024

func cut(text string) string { return text[:min(len(text), maxAudited)] }
