// What Hub answers, as far as the pages use it.

/**
 * @typedef {import('../client/index.js').Me} Me
 * @typedef {import('../client/index.js').Todo} Todo
 * @typedef {import('../client/index.js').Message} Message
 * @typedef {import('../client/index.js').App} App
 * @typedef {import('../client/index.js').Home} Home
 * @typedef {import('../client/index.js').FeedItem} FeedItem
 * @typedef {import('../client/index.js').Article} Article
 * @typedef {import('../client/index.js').TodoList} TodoList
 * @typedef {{ toHandle: number, toRead: number, overdue: number, unread: number }} Counts those that the badges show
 */

export {};
