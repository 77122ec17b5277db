package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

// pages are the flags of a list.
type pages struct {
	page, size int
	sort       string
	all        bool
}

// largestPage is the size of pages where a list is read to its end. Hub may cut it.
const largestPage = 200

func (p *pages) flags(c *cobra.Command) {
	c.Flags().IntVar(&p.page, "page", 1, "which page, from 1")
	c.Flags().IntVar(&p.size, "size", 20, "entries of a page")
	c.Flags().StringVar(&p.sort, "sort", "", "order, such as createTime,asc")
	c.Flags().BoolVar(&p.all, "all", false, "the whole list")
	c.MarkFlagsMutuallyExclusive("all", "page")
	c.MarkFlagsMutuallyExclusive("all", "size")
}

// list shows a list: one page, or all of them one after the other.
func (a *App) list(ctx context.Context, path string, query url.Values, p pages, columns []string, row func(json.RawMessage) ([]show.Cell, error)) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	if p.page < 1 {
		return errors.New("--page counts from 1")
	}
	if p.sort != "" {
		query.Set("sort", p.sort)
	}
	var entries []json.RawMessage
	total := int64(-1)
	if p.all {
		entries, err = walk(ctx, client, path, query)
	} else {
		query.Set("page", strconv.Itoa(p.page-1))
		query.Set("size", strconv.Itoa(p.size))
		entries, total, err = one(ctx, client, path, query)
	}
	if err != nil {
		return err
	}
	return a.print(entries, func(to show.Terminal) error {
		table := show.Table{Columns: columns}
		for _, entry := range entries {
			cells, err := row(entry)
			if err != nil {
				return fmt.Errorf("the answer has an entry of another form: %w", err)
			}
			table.Rows = append(table.Rows, cells)
		}
		if err := table.Write(a.Out, to); err != nil {
			return err
		}
		if int64(len(entries)) < total {
			fmt.Fprintf(a.Err, "%d of %d; --all shows the whole list\n", len(entries), total)
		}
		return nil
	})
}

func one(ctx context.Context, client *api.Client, path string, query url.Values) (entries []json.RawMessage, total int64, err error) {
	answer, err := client.Call(ctx, api.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return nil, 0, err
	}
	return entries, answer.Page.Total, json.Unmarshal(answer.Data, &entries)
}

// walk reads a list to its end by cursors, so that nothing comes twice or is left out meanwhile.
func walk(ctx context.Context, client *api.Client, path string, query url.Values) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	query.Set("size", strconv.Itoa(largestPage))
	for cursor := ""; ; {
		query.Set("cursor", cursor)
		answer, err := client.Call(ctx, api.Request{Method: http.MethodGet, Path: path, Query: query})
		if err != nil {
			return nil, err
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(answer.Data, &entries); err != nil {
			return nil, err
		}
		all = append(all, entries...)
		if cursor = answer.Page.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// upper gives the words of a flag as Hub has them.
func upper(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, strings.ToUpper(value))
	}
}
