import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parser } from '../sse.js';

const stream = 'retry: 3000\nevent: message\nid: a\ndata: {"x":1}\n\n: comment\r\n\r\nevent: todo\r\ndata: one\r\ndata:two\r\n\r\nid\rdata\rdata\r\rdata: last\n\nevent: cut\ndata: no';

/** @param {string[]} pieces */
function read(pieces) {
  /** @type {unknown[]} */
  const events = [];
  const take = parser((event) => events.push(event), (ms) => events.push(ms));
  for (const piece of pieces) take(piece);
  return events;
}

const whole = [
  3000, { type: 'message', data: '{"x":1}', id: 'a' }, { type: 'todo', data: 'one\ntwo', id: null },
  { type: 'message', data: '\n', id: '' }, { type: 'message', data: 'last', id: null },
];

test('a stream is read as browsers read it', () => assert.deepEqual(read([stream]), whole));

test('its pieces may end anywhere', () => {
  assert.deepEqual(read([...stream]), whole);
  for (let at = 0; at < stream.length; at++) assert.deepEqual(read([stream.slice(0, at), stream.slice(at)]), whole, `cut at ${at}`);
});
