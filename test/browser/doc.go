// Package browser logs people in with a real Chromium: at the demo provider, and at one that shares no code
// with Hub. It looks at what the browser keeps and sends, and at what the pages of other sites can do with it.
package browser
