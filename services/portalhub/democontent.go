package portalhub

import (
	"context"
	"fmt"
	"image/color"
	"time"

	"example.com/hub/services/portalhub/internal/content"
)

// demoEditor is who writes the articles of a demo.
const demoEditor = "user:carla"

// demoChannels are the channels of a demo, by the names that its articles have for them.
var demoChannels = map[string]content.ChannelSettings{
	"company": {Name: "Company news", Type: content.News},
	"sales":   {Name: "Sales", Type: content.News, Sort: 1, VisibleFor: []string{"dept:sales", "role:managers"}},
	"notices": {Name: "Notices", Type: content.Notice},
}

// demoArticle is an article of a demo.
type demoArticle struct {
	channel, title, summary, html string
	// age is how long ago it happened.
	age           time.Duration
	draft, pinned bool
	cover         *scene
}

const day = 24 * time.Hour

// The covers of articles: a morning, a noon and an evening.
var (
	morning = &scene{color.NRGBA{120, 170, 215, 255}, color.NRGBA{250, 225, 200, 255}, color.NRGBA{60, 110, 95, 255}, color.NRGBA{255, 246, 214, 255}, 0.45, 0}
	noon    = &scene{color.NRGBA{60, 135, 205, 255}, color.NRGBA{205, 230, 240, 255}, color.NRGBA{70, 125, 60, 255}, color.NRGBA{255, 240, 150, 255}, 0.85, 2}
	evening = &scene{color.NRGBA{55, 50, 110, 255}, color.NRGBA{240, 150, 110, 255}, color.NRGBA{40, 35, 70, 255}, color.NRGBA{255, 215, 160, 255}, 0.15, 4}
)

var demoArticles = []demoArticle{
	{
		channel: "company", pinned: true, cover: morning, age: 3 * day, title: "One portal for everything that waits for you",
		summary: "Approvals, messages and news now come together in one place.",
		html: `<p>Until now each system had a list of its own. From today the portal shows what waits for you in all of them.</p>
<h2>What is new</h2>
<ul><li><b>To do</b> has what you must decide, and what you only have to read.</li><li><b>Messages</b> arrive while you watch, without a reload.</li><li><b>Apps</b> lead into the systems behind, without another login.</li></ul>
<p>Nothing changes in those systems. Start at <a href="/portal/">the portal</a>.</p>`,
	},
	{
		channel: "company", cover: evening, age: 5 * time.Hour, title: "The new canteen opens on Monday",
		summary: "Two dishes a day, one of them vegetarian, from 11:30 to 14:00.",
		html: `<p>After four months of work the canteen on the ground floor opens again. The kitchen is now open to the room, and there are 40 more seats.</p>
<table><thead><tr><th scope="col">Day</th><th scope="col">Dish</th><th scope="col">Vegetarian</th></tr></thead>
<tbody><tr><td>Monday</td><td>Goulash with dumplings</td><td>Mushroom risotto</td></tr><tr><td>Tuesday</td><td>Fish with potatoes</td><td>Lentil curry</td></tr><tr><td>Wednesday</td><td>Chicken with rice</td><td>Vegetable lasagne</td></tr></tbody></table>
<blockquote>Tell us what you would like to eat: there is a book at the entrance.</blockquote>`,
	},
	{
		channel: "company", cover: noon, age: 2 * day, title: "A quarter of our power comes from the roof",
		summary: "The solar panels on hall 2 have been running for a year. A look at the figures.",
		html: `<p>The 620 panels on hall 2 made <b>212,000 kWh</b> in their first year, which is 26 per cent of what the site needs. In June it was 41 per cent, in December 7.</p>
<ol><li>Hall 3 follows in spring.</li><li>A store of 500 kWh will then keep the noon for the evening.</li></ol>`,
	},
	{
		channel: "sales", age: day, title: "The price list of the next year is ready",
		summary: "It applies to offers from the first of the month on.",
		html: `<p>Most prices stay. Those of spare parts rise by 2 per cent, and shipping within the country is free above 500.</p>
<p>Offers that are out keep their prices for 30 days.</p>`,
	},
	{
		channel: "notices", pinned: true, age: 6 * time.Hour, title: "Maintenance on Saturday from 20:00 to 23:00",
		summary: "Expenses and the phone book are not available meanwhile.",
		html: `<p>The database of <i>Expenses</i> moves to new machines. Please send what you have begun before <b>Saturday, 19:30</b>.</p>
<p>What waits for you in the portal stays there, and can be decided on again from 23:00 on.</p>`,
	},
	{
		channel: "notices", age: 4 * day, title: "Fire drill next week",
		summary: "Leave the building by the nearest stairs when you hear the alarm.",
		html:    `<p>The drill takes some 20 minutes. Do not use the lifts, leave your things where they are, and meet at the sign on the car park.</p>`,
	},
	{
		channel: "company", draft: true, title: "Summer party: save the date",
		summary: "A draft, which only people with the permission content see.",
		html:    `<p>The place is not fixed yet.</p>`,
	},
}

// fillContent adds channels and articles where there is no channel yet.
func (s *Service) fillContent(ctx context.Context) error {
	known, err := s.content.ListChannels(ctx)
	if err != nil || len(known) > 0 {
		return err
	}
	channels := map[string]content.Channel{}
	for name, settings := range demoChannels {
		if channels[name], err = s.content.CreateChannel(ctx, demoEditor, content.ChannelRequest{ChannelSettings: settings}); err != nil {
			return fmt.Errorf("fill the demo: %w", err)
		}
	}
	for _, a := range demoArticles {
		if err := s.fillArticle(ctx, channels[a.channel], a); err != nil {
			return fmt.Errorf("fill the demo: %w", err)
		}
	}
	return nil
}

func (s *Service) fillArticle(ctx context.Context, channel content.Channel, a demoArticle) error {
	cover, err := s.fillPicture(ctx, a.cover)
	if err != nil {
		return err
	}
	text := content.Text{ChannelID: channel.ID, Title: a.title, Summary: a.summary, CoverImageURL: cover, HTML: a.html}
	if !a.draft {
		occurred := channel.CreateTime.Add(-a.age)
		text.OccurredAt = &occurred
	}
	stored, err := s.content.CreateArticle(ctx, demoEditor, text)
	if err == nil && !a.draft {
		_, err = s.content.PublishArticle(ctx, demoEditor, stored.ID)
	}
	if err == nil && a.pinned {
		_, err = s.content.PinArticle(ctx, demoEditor, stored.ID, true)
	}
	return err
}
