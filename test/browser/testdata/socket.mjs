// A client of Hub's WebSocket by the package ws. It prints what comes, a line each, and ends with the socket.
// A line of standard input is sent.
import { createInterface } from 'node:readline';
import WebSocket from 'ws';

const { SOCKET_URL: url, SOCKET_TOKEN: token } = process.env;
const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
const print = (...words) => console.log(words.join(' '));
socket.on('upgrade', ({ headers }) => print('extensions', headers['sec-websocket-extensions'] ?? 'none'));
socket.on('message', (data, binary) => print(binary ? 'binary' : 'text', data));
socket.on('ping', () => print('ping'));
socket.on('unexpected-response', (_, { statusCode }) => { print('refused', statusCode); process.exit(); });
socket.on('close', (code) => { print('closed', code); process.exit(); });
createInterface({ input: process.stdin }).on('line', (line) => socket.send(line));
