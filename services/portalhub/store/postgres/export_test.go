package postgres

// The statements of lists, for a look at their plans.
var (
	PeopleWalk  = peopleWalk
	FeedWalk    = feedWalk
	ArticleWalk = articleWalk
)

// The statements of retention, for a look at their plans.
var (
	SelectSessionUsers = selectSessionUsers
	DeleteOldSessions  = deleteOldSessions
)
