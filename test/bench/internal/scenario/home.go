package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// runHome measures scenario 18: the home page of a user, beside one list of hers.
func runHome(ctx context.Context, e Env, home string, r *Result) error {
	s, err := stage.Start(ctx, e.Bin, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	const user = "amy"
	token, err := s.UserToken(ctx, user)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	conn, err := load.Dial(ctx, s.Edge)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := fillPages(conn, s.Token, user); err != nil {
		return err
	}
	page, list := load.Get(nil, "/portal/home", token), load.Get(nil, "/todo-hub/todos?size=20", token)
	if err := checkHome(conn, page); err != nil {
		return err
	}
	services := append(s.Both("todohub"), s.Services["messagehub"])
	r.part(ctx, "18", services, func() ([]report.Row, []plot.Chart, error) {
		row := report.Row{
			ID: "18", Scenario: "home page of a user, against a list of 20 with total", Unit: "ms", Target: report.RatioAtMost(3),
			Note: "the whole call, one at a time",
		}
		call := func(request []byte) func() (float64, error) {
			return measure.Timed(func() error {
				_, err := conn.Do(request, false)
				return err
			})
		}
		for range e.Rounds {
			took, err := measure.Interleave(e.size(300, 5), call(page), call(list))
			if err != nil {
				return nil, nil, err
			}
			row.Hub, row.Baseline = append(row.Hub, took[0]), append(row.Baseline, took[1])
		}
		return []report.Row{row}, nil, nil
	})
	return nil
}

// fillPages gives a user as many todos as others have, and messages.
func fillPages(conn *load.Conn, token, user string) error {
	for n := range todosEach {
		id := strconv.Itoa(n)
		for path, body := range map[string]map[string]any{
			"/todo-hub/todos": {
				"todoId": "home-" + id, "type": "HANDLE", "sourceBizId": id, "assigneeUsername": user, "title": "Approve order " + id,
				"summary": content(100), "category": "order", "actionUrl": "https://erp.example.com/orders/" + id,
			},
			"/message-hub/messages": {
				"sourceMessageId": "home-" + id, "targetUsernames": []string{user}, "title": title, "content": content(contentSize),
			},
		} {
			text, err := json.Marshal(body)
			if err != nil {
				return err
			}
			if _, err := conn.Do(load.Post(nil, path, token, text), false); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHome checks that the page has all its parts.
func checkHome(conn *load.Conn, request []byte) error {
	body, err := conn.Do(request, true)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct{ Todos, Messages, Unavailable []any }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if d := answer.Data; len(d.Todos) != 5 || len(d.Messages) != 5 || len(d.Unavailable) != 0 {
		return fmt.Errorf("the home page is %s", body)
	}
	return nil
}
