// What Hub answers administrators, as far as their pages use it.

/** @typedef {import('../types.js').Todo} Todo */
/** @typedef {import('../types.js').Message} Message */

/**
 * @typedef {{ id: string, name: string, type: 'news' | 'notice', sort: number, enabled: boolean, visibleFor: string[] }} Channel
 * @typedef {{ id: string, channelId: string, title: string, summary: string, coverImageUrl: string, contentHtml: string,
 *   contentJson: unknown, occurredAt: string | null, version: number, status: ArticleStatus, pinned: boolean,
 *   modifyTime: string, modifier: string }} ManagedArticle
 * @typedef {'draft' | 'published' | 'offline'} ArticleStatus
 * @typedef {{ appId: string, name: string, iconUrl: string, entryUrl: string, sort: number, enabled: boolean,
 *   visibleFor: string[], sso: 'none' | 'ticket' }} ManagedApp
 * @typedef {Todo & { assigneeUsername: string }} ManagedTodo
 * @typedef {Message & { username: string }} ManagedMessage
 * @typedef {{ username: string, userId: string | null, name: string, email: string, deptId: string, active: boolean }} Person
 */

export {};
