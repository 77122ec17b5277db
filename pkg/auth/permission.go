package auth

// The permissions of users, each for a part of what administrators do.
const (
	PermissionApps      = "apps"
	PermissionContent   = "content"
	PermissionDirectory = "directory"
	PermissionMessages  = "messages"
	PermissionTodos     = "todos"
)
