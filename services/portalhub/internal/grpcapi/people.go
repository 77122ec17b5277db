package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/pbtime"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub/internal/people"
)

// People is a peoplev1.DirectoryServiceServer for feeds and admins, and a peoplev1.PeopleServiceServer for Hub's
// own edges: the policy must admit nobody else to the latter. Its errors are faults, which the frame of
// pkg/grpcserver turns into a status.
type People struct {
	peoplev1.UnimplementedDirectoryServiceServer
	peoplev1.UnimplementedPeopleServiceServer

	service *people.Service
}

// NewPeople makes a People.
func NewPeople(s *people.Service) *People { return &People{service: s} }

// LogIn notes a login.
func (s *People) LogIn(ctx context.Context, in *peoplev1.LogInRequest) (*peoplev1.LogInResponse, error) {
	outcome, who, err := s.service.LogIn(ctx, people.LogInRequest{
		Username: in.GetUsername(), Issuer: in.GetIssuer(), Subject: in.GetSubject(), Name: in.GetName(), Email: in.GetEmail(),
	})
	if err != nil {
		return nil, err
	}
	return &peoplev1.LogInResponse{Outcome: peoplev1.LogInOutcome(outcome), RoleIds: who.Roles}, nil
}

// GetPerson tells of a person.
func (s *People) GetPerson(ctx context.Context, in *peoplev1.GetPersonRequest) (*peoplev1.GetPersonResponse, error) {
	who, err := s.service.Get(ctx, in.GetUsername())
	if err != nil {
		return nil, err
	}
	return &peoplev1.GetPersonResponse{User: user(&who.Person), RoleIds: who.Roles, DeptIds: who.Departments, Claims: who.Claims}, nil
}

// ResolveUsers gives the usernames of user ids.
func (s *People) ResolveUsers(ctx context.Context, in *peoplev1.ResolveUsersRequest) (*peoplev1.ResolveUsersResponse, error) {
	names, err := s.service.Resolve(ctx, in.GetUserIds())
	if err != nil {
		return nil, err
	}
	return &peoplev1.ResolveUsersResponse{Usernames: names}, nil
}

// SelectUsers gives the usernames of who matches.
func (s *People) SelectUsers(ctx context.Context, in *peoplev1.SelectUsersRequest) (*peoplev1.SelectUsersResponse, error) {
	names, err := s.service.Select(ctx, in.DeptId, in.RoleId)
	if err != nil {
		return nil, err
	}
	return &peoplev1.SelectUsersResponse{Usernames: names}, nil
}

// The enums of the domain have the numbers of the proto.

func user(p *people.Person) *peoplev1.User {
	return &peoplev1.User{
		Username: p.Username, UserId: p.UserID, Name: p.Name, Email: p.Email, DeptId: p.DeptID, Active: p.Active,
		Origin:     peoplev1.UserOrigin(p.Origin),
		CreateTime: pbtime.Timestamp(&timestamppb.Timestamp{}, p.CreateTime),
		ModifyTime: pbtime.Timestamp(&timestamppb.Timestamp{}, p.ModifyTime),
		CreatorId:  p.CreatorID, ModifierId: p.ModifierID,
	}
}

func department(d *people.Department) *peoplev1.Department {
	return &peoplev1.Department{
		DeptId: d.ID, ParentId: d.ParentID, Name: d.Name,
		CreateTime: pbtime.Timestamp(&timestamppb.Timestamp{}, d.CreateTime),
		ModifyTime: pbtime.Timestamp(&timestamppb.Timestamp{}, d.ModifyTime),
		CreatorId:  d.CreatorID, ModifierId: d.ModifierID,
	}
}
