package eventcenter

import "time"

// SetSilence changes how long no byte may move, before the first call.
func (c *Center) SetSilence(d time.Duration) { c.silence = d }
