package edge

import (
	"context"

	"example.com/hub/services/edge/internal/eventcenter"
	"example.com/hub/services/edge/internal/forwarded"
)

// eventCenter forwards to the event center, or is nil where the settings name none.
func (d *Deps) eventCenter(proxies forwarded.Proxies) (*eventcenter.Center, error) {
	if d.Config.EventCenter.URL == "" {
		return nil, nil
	}
	return eventcenter.New(eventcenter.Deps{
		Config:     d.Config.EventCenter,
		PublicURL:  d.publicURL,
		Limiter:    d.Limiter,
		RemoteAddr: proxies.Caller,
		Tracer:     d.Tracer,
		MaskErrors: d.Config.ErrorStatus != 0,
		Logger:     d.Logger,
	})
}

func (e *Edge) shutdownEventCenter(ctx context.Context) error {
	if e.center == nil {
		return nil
	}
	return e.center.Shutdown(ctx, e.spread)
}
