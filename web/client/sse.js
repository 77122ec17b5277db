/**
 * Reads an event stream (WHATWG HTML, section 9.2) from pieces of its text, which may end anywhere.
 *
 * @param {(event: {type: string, data: string, id: string | null}) => void} event hears of each event that is
 *   whole; id is that of its own id line
 * @param {(milliseconds: number) => void} retry hears of the time to wait before connecting again
 * @returns {(text: string) => void} takes the next piece
 */
export function parser(event, retry) {
  let rest = '';
  let type = '';
  let data = '';
  /** @type {string | null} */
  let id = null;

  /** @param {string} line */
  const take = (line) => {
    if (line === '') {
      if (data !== '') event({ type: type || 'message', data: data.slice(0, -1), id });
      type = data = '';
      id = null;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') type = value;
    else if (field === 'data') data += `${value}\n`;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retry(Number(value));
  };

  return (text) => {
    rest += text;
    // A carriage return at the end may be one half of a line's end, so it waits for what follows.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) take(line);
  };
}
