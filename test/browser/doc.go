// Package browser uses the portal with a real Chromium, and logs people in: at the demo provider, and at one that
// shares no code with Hub. It looks at what the browser keeps and sends, at what the pages of other sites can do
// with it, and at the pages themselves, in every size and scheme.
package browser
