package postgres

import "example.com/hub/services/todohub/internal/todo"

// The statements of retention, for a look at their plans.
var (
	SelectAssignees = selectAssignees
	DeleteOld       = deleteOld
)

// CountTodos and CountArgs are the statement that counts lists, for a look at its plan.
var (
	CountTodos = countTodos
	CountArgs  = countArgs
)

// WalkQuery and SearchQuery are the statements of a list, for a look at their plans.
var (
	WalkQuery   = walkQuery
	SearchQuery = searchQuery
)

// The statements of batches and reconciles, for a look at their plans.
var (
	UpsertTodos    = upsertTodos
	ManyArgs       = manyArgs
	ReconcileTodos = reconcileTodos
)

// ListQuery is the statement of a page of a list, for a look at its plan.
func ListQuery(p todo.ListParams) (query string, args []any) { return listQuery(keyOf(p), p) }
