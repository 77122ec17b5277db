// What calls need beside the client.

export { HubError } from '../client/index.js';

/**
 * @typedef {object} Envelope
 * @property {any} data
 * @property {{ nextCursor: string | null, watermark?: string | null } | null} page of a list
 */

/**
 * A path with a query of what is given.
 *
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} query
 */
export function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
