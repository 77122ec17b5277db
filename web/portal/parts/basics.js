// Small parts that everything uses.
import { h } from '../dom.js';
import { fileLink } from '../links.js';
import { icon } from './icon.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('./icon.js').IconName} IconName */

/**
 * A button. `kind` is of its looks: primary, danger, quiet, small, or several with blanks between.
 *
 * @param {string} text
 * @param {{ kind?: string, icon?: IconName, click?: (event: MouseEvent) => void, type?: 'button' | 'submit', disabled?: boolean, id?: string }} [options]
 */
export function button(text, { kind = '', icon: name, click, type = 'button', disabled = false, id } = {}) {
  return h('button', { type, class: `button ${kind}`.trim(), disabled, id, ...(click && { click }) }, name && icon(name), h('span', null, text));
}

/**
 * A button that shows an icon only; who listens hears the text.
 *
 * @param {string} text
 * @param {IconName} name
 * @param {(event: MouseEvent) => void} click
 */
export function iconButton(text, name, click) {
  return h('button', { type: 'button', class: 'button quiet square', 'aria-label': text, title: text, click }, icon(name));
}

/**
 * A link that looks like a button.
 *
 * @param {string} text
 * @param {string} href
 * @param {{ kind?: string, icon?: IconName, away?: string }} [options] away: the words for a link that opens a new tab
 */
export function linkButton(text, href, { kind = '', icon: name, away } = {}) {
  const outside = away ? { target: '_blank', rel: 'noopener noreferrer' } : {};
  return h('a', { class: `button ${kind}`.trim(), href, ...outside }, name && icon(name), h('span', null, text), away && h('span', { class: 'unseen' }, ` (${away})`));
}

/**
 * @param {Child} text
 * @param {'good' | 'warn' | 'bad' | 'info' | ''} [kind]
 * @param {IconName} [name]
 */
export function badge(text, kind = '', name) {
  return h('span', { class: `badge ${kind}`.trim() }, name && icon(name), text);
}

/**
 * A number in a circle, or nothing for 0. Above 99 it says so.
 *
 * @param {number | null | undefined} n
 * @param {string} [kind] calm: not in red
 */
export function count(n, kind = '') {
  return n ? h('span', { class: `count ${kind}`.trim() }, n > 99 ? '99+' : n) : null;
}

/**
 * The first letters of a name on a colour that is always the same for it, or its picture.
 *
 * @param {string} name
 * @param {{ kind?: string, picture?: string }} [options] kind: round, large; picture: a file of Hub
 */
export function avatar(name, { kind = '', picture } = {}) {
  const src = fileLink(picture);
  return h('span', { class: `avatar ${kind}`.trim(), 'data-tone': tone(name), 'aria-hidden': 'true' },
    src ? h('img', { src, alt: '', loading: 'lazy' }) : initials(name));
}

/** @param {string} name */
function initials(name) {
  const words = name.split(/[\s._:/-]+/u).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '?')].slice(0, /^\p{Script=Han}/u.test(name) ? 1 : 2);
  return letters.join('').toUpperCase();
}

/**
 * One of the eight colours, by a name.
 *
 * @param {string} name
 */
export function tone(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % 8;
}

/**
 * What stands where a list is empty.
 *
 * @param {IconName} name
 * @param {{ title: string, text: string }} words
 * @param {...Child} more
 */
export function empty(name, words, ...more) {
  return h('div', { class: 'empty' }, icon(name), h('h3', null, words.title), h('p', null, words.text), ...more);
}

/**
 * Rows that stand for a list while it is loaded.
 *
 * @param {number} rows
 * @param {string} text for who listens
 */
export function bones(rows, text) {
  const row = () => h('div', { class: 'bone-row', 'aria-hidden': 'true' }, h('div', { class: 'bone' }), h('div', null, h('div', { class: 'bone' }), h('div', { class: 'bone' })));
  return h('div', { class: 'bones' }, h('p', { class: 'unseen' }, text), ...Array.from({ length: rows }, row));
}

/**
 * A part of a page with a heading.
 *
 * @param {string} title
 * @param {Child[]} head what stands beside the heading
 * @param {...Child} children
 */
export function card(title, head, ...children) {
  const id = `card-${++cards}`;
  return h('section', { class: 'card', 'aria-labelledby': id }, h('div', { class: 'card-head' }, h('h2', { id }, title), ...head), ...children);
}

let cards = 0;

/**
 * The head of a page. Its heading takes the focus when the page is opened.
 *
 * @param {string} title
 * @param {{ lead?: Child, actions?: Child[] }} [options]
 */
export function pageHead(title, { lead, actions = [] } = {}) {
  return h('div', { class: 'page-head' },
    h('div', null, h('h1', { tabindex: '-1' }, title), lead && h('p', { class: 'lead' }, lead)),
    actions.length > 0 && h('div', { class: 'actions' }, ...actions));
}
