package grpcserver

import (
	"context"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/hub/pkg/fault"
)

// healthServer answers the health of the process, and the same for each service that callers may use.
type healthServer struct {
	healthpb.UnimplementedHealthServer

	process healthpb.HealthServer
	server  *Server
}

// registerHealth leaves Watch out: its streams would stay open without a token, and gRPC refuses a method
// that nobody registered before it reads anything.
func registerHealth(s *Server, process healthpb.HealthServer) {
	if process == nil {
		process = health.NewServer()
	}
	checks := healthpb.Health_ServiceDesc
	checks.Streams = nil
	s.RegisterService(&checks, &healthServer{process: process, server: s})
}

// Check implements healthpb.HealthServer. An unknown name is NOT_FOUND, as the protocol of health has it.
func (h *healthServer) Check(ctx context.Context, in *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if name := in.GetService(); name != "" {
		if _, served := h.server.GetServiceInfo()[name]; !served {
			return nil, fault.New(fault.NotFound, "unknown service")
		}
	}
	return h.process.Check(ctx, &healthpb.HealthCheckRequest{})
}

// List implements healthpb.HealthServer.
func (h *healthServer) List(ctx context.Context, _ *healthpb.HealthListRequest) (*healthpb.HealthListResponse, error) {
	whole, err := h.process.Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil {
		return nil, err
	}
	statuses := map[string]*healthpb.HealthCheckResponse{"": whole}
	for name := range h.server.GetServiceInfo() {
		statuses[name] = whole
	}
	return &healthpb.HealthListResponse{Statuses: statuses}, nil
}
