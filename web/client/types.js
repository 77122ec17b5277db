// What Hub answers and what this client takes, for who checks types. There is nothing in it to run.

/**
 * @typedef {object} HubOptions
 * @property {string} [url] where Hub is, without a slash at the end; the origin of the page by default
 * @property {Token} [token] gives the access token of a user; without it the session cookie of the browser counts
 * @property {(error: HubError) => void} [onSessionEnd] called when the session is over, in every tab but
 *   the one that has ended it
 * @property {typeof fetch} [fetch] what makes the calls, for tests and for Node behind a proxy
 * @property {number} [timeout] milliseconds until a call without an answer is given up; 15,000
 * @property {number} [retries] how often a call is repeated that failed for a moment; 2
 */

/**
 * @callback Token
 * @param {{renew: boolean, signal: AbortSignal}} wanted renew: Hub refused the last one, so make a new one
 * @returns {string | Promise<string>}
 */

/** @typedef {import('./error.js').HubError} HubError */

/**
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal] ends the call; its reason is thrown
 * @property {number} [timeout] as in HubOptions
 * @property {number} [retries] as in HubOptions
 */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query what is null or undefined is left out */

/**
 * @typedef {object} RequestParts
 * @property {Query} [query]
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] sent as JSON; FormData and Blob as they are
 */

/** @typedef {RequestParts & CallOptions} RequestOptions */

/**
 * @template T
 * @typedef {object} Answer what Hub answers a call
 * @property {T} data
 * @property {any} page of a list
 * @property {Headers} headers
 */

/**
 * @template T
 * @typedef {object} Page a part of a list
 * @property {T[]} items
 * @property {string | null} nextCursor where the list goes on; null at its end
 * @property {string | null} watermark of messages: what readAll takes as upTo
 */

/**
 * @typedef {object} PageOptions
 * @property {string} [cursor] the nextCursor of the page before
 * @property {number} [size] entries of a page; 20
 */

/** @typedef {PageOptions & CallOptions} ListOptions */

/**
 * @typedef {object} Me the user who calls; what is not known is null
 * @property {string} username
 * @property {string | null} userId
 * @property {string | null} name
 * @property {string | null} email
 * @property {string | null} dept
 * @property {string[] | null} roles
 * @property {string[]} permissions
 * @property {string | null} sessionExpiresAt RFC 3339; null with a token
 */

/** @typedef {'toHandle' | 'toRead' | 'overdue' | 'unread' | 'done' | 'read'} CountName */
/** @typedef {{toHandle: number, toRead: number, overdue: number, unread: number, done: number, read: number}} AllCounts */
/** @typedef {Partial<AllCounts>} Counts those that were asked for; by default toHandle, toRead, overdue and unread */

/** @typedef {'toHandle' | 'toRead' | 'done' | 'read'} TodoList */

/**
 * @typedef {object} Audit
 * @property {string} createTime yyyy-MM-dd HH:mm:ss in the zone of the deployment
 * @property {string} modifyTime
 * @property {string} creator
 * @property {string} creatorId
 * @property {string} modifier
 * @property {string} modifierId
 * @property {boolean} delete
 */

/**
 * @typedef {object} TodoFields
 * @property {string} id
 * @property {'HANDLE' | 'REVIEW'} type
 * @property {string} sourceSystem
 * @property {string} sourceBizId
 * @property {string} assigneeUsername
 * @property {string} initiatorUsername
 * @property {string} title
 * @property {string} summary
 * @property {string} category
 * @property {string} actionUrl
 * @property {string} actionAppId
 * @property {string | null} dueAt RFC 3339
 * @property {'OPEN' | 'CLEARED' | 'INVALID'} status
 * @property {string} result
 * @property {string | null} clearedAt RFC 3339
 * @property {string} clearedBy
 * @property {string} reason
 * @property {unknown} payload null in lists
 * @property {string} eventCenterRef
 * @property {number | null} sourceVersion
 */
/** @typedef {TodoFields & Audit} Todo */

/**
 * @typedef {object} MessageFields
 * @property {string} id
 * @property {string} username
 * @property {string} sourceAppId
 * @property {string} sourceMessageId what marks it as read
 * @property {string} idempotencyKey
 * @property {string} title
 * @property {string} content
 * @property {string} category
 * @property {{label: string, url: string}[]} actions
 * @property {'UNREAD' | 'READ'} status
 * @property {string} occurredAt RFC 3339
 * @property {string | null} readAt RFC 3339
 */
/** @typedef {MessageFields & Audit} Message */

/**
 * @typedef {object} App
 * @property {string} appId
 * @property {string} name
 * @property {string} iconUrl `/files/` and an id, or empty
 * @property {string} entryUrl
 * @property {number} sort
 * @property {'none' | 'ticket'} sso
 */

/** @typedef {{url: string, expiresAt: string | null}} Jump */

/** @typedef {'news' | 'notice'} FeedType */

/**
 * @typedef {object} FeedItem an article without its text
 * @property {string} id
 * @property {string} channelId
 * @property {string} title
 * @property {string} summary
 * @property {string} coverImageUrl `/files/` and an id, or empty
 * @property {boolean} pinned
 * @property {string | null} pinnedAt RFC 3339
 * @property {string} occurredAt RFC 3339
 * @property {string | null} publishedAt RFC 3339
 */

/** @typedef {FeedItem & {contentHtml: string}} Article with its text, which Hub has sanitised */

/**
 * @typedef {object} Home what a portal shows first. A part that failed is null and named in unavailable
 * @property {Counts | null} counts
 * @property {Todo[] | null} todos
 * @property {Message[] | null} messages
 * @property {App[] | null} apps
 * @property {FeedItem[] | null} news
 * @property {FeedItem[] | null} notices
 * @property {string[]} unavailable
 */

/** @typedef {'message' | 'read' | 'todo'} EventType */

/**
 * @typedef {object} HubEvent something changed
 * @property {EventType} type
 * @property {string | null} id of the message's record, its sourceMessageId, or the todoId; null: any todo
 * @property {number} ts milliseconds since 1970
 */

/**
 * @typedef {object} LiveOptions
 * @property {('inbox' | 'todo')[]} [topics] what to hear of; both
 * @property {string | null} [tabs] the name under which tabs share one stream; null: each has its own. By
 *   default tabs with a session share, and those with tokens do not
 * @property {number} [silence] milliseconds without a byte after which the stream is opened anew; 45,000, which
 *   is three heartbeats
 */

/**
 * @typedef {object} LiveState
 * @property {'connecting' | 'open' | 'waiting' | 'ended' | 'closed'} phase waiting: to connect again; ended: for
 *   good, as error says; closed: by close()
 * @property {boolean} leader whether the stream is that of this tab
 * @property {HubError | null} error why it waits or has ended; null for a stream that merely ended
 */

/**
 * @typedef {object} LiveEvents what a Live tells of
 * @property {HubEvent} message a new message
 * @property {HubEvent} read a message became read
 * @property {HubEvent} todo a todo changed
 * @property {void} open the stream is open: what was fetched before may be old
 * @property {LiveState} state
 */

/**
 * @typedef {object} StoreOptions
 * @property {EventType[]} [on] the events after which it is fetched again; all
 * @property {number} [every] milliseconds after which it is fetched again without an event; 0, which is never
 * @property {number} [spread] milliseconds within which a change is fetched, by chance; 400
 */

/**
 * @template T
 * @typedef {object} Snapshot
 * @property {T | null} value the last answer; null before the first
 * @property {Error | null} error why the last fetch failed, mostly a HubError; null when it did not
 */

export {};
