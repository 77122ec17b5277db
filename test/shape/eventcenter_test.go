package shape_test

import (
	"testing"

	"example.com/hub/contract/portal"
	"example.com/hub/test/shape/shapetest"
)

// TestEventCenter has both edges forward to an event center, and asks the second one.
func TestEventCenter(t *testing.T) {
	t.Parallel()
	center := portal.NewEventCenter(t)
	s := start(t, center.Settings()...)
	portal.RunEventCenter(t, shapetest.Target(s.edges[1]), center)
}
