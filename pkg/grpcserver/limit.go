package grpcserver

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/ratelimit"
)

// The RateLimit fields as metadata keys, which are in lower case.
const (
	policyKey = "ratelimit-policy"
	stateKey  = "ratelimit"
)

// limit takes the call's units from its client's bucket. The caller learns what is left in any case. A
// request that could not be read costs as much as an empty one.
func (i *interceptor) limit(ctx context.Context, method string, req any) error {
	charge, ok := i.charges[method]
	if !ok || i.limiter == nil {
		return nil
	}
	caller, ok := auth.From(ctx)
	if !ok {
		return nil
	}
	cost := 1
	if charge.Cost != nil {
		cost = charge.Cost(req)
	}
	r := i.limiter.Take(ctx, caller.Name(), charge.Area, cost)
	if r.Limit.Rate == 0 {
		return nil
	}
	// Without a transport nobody waits for a header.
	_ = grpc.SetHeader(ctx, metadata.MD{policyKey: {r.Policy()}, stateKey: {r.State()}})
	if r.Granted {
		return nil
	}
	f := fault.Newf(fault.Exhausted, "too many %s, try again in %d s", r.Area, ratelimit.Seconds(r.RetryAfter))
	f.RetryAfter = r.RetryAfter
	return f
}
