// Dialogs: the browser's own, which keeps the focus inside and gives it back.
import { h } from '../dom.js';
import { button, iconButton } from './basics.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('../preferences.js').Words} Words */

/**
 * Opens a dialog and gives it; `close` ends it.
 *
 * @param {Words} words
 * @param {string} title
 * @param {Child[]} children
 * @param {{ wide?: boolean, closed?: () => void }} [options]
 */
export function openDialog(words, title, children, { wide = false, closed } = {}) {
  const element = h('dialog', { class: wide ? 'dialog wide' : 'dialog', 'aria-labelledby': 'dialog-title' },
    h('div', { class: 'dialog-head' }, h('h2', { id: 'dialog-title' }, title), iconButton(words.close, 'close', () => element.close())),
    h('div', { class: 'dialog-body' }, ...children));
  element.addEventListener('close', () => {
    element.remove();
    closed?.();
  });
  document.body.append(element);
  element.showModal();
  return element;
}

/**
 * Asks, and tells whether the answer was yes.
 *
 * @param {Words} words
 * @param {{ title: string, text: string, yes: string, danger?: boolean }} question
 * @returns {Promise<boolean>}
 */
export function confirm(words, { title, text, yes, danger = false }) {
  return new Promise((answer) => {
    let sure = false;
    const agree = () => {
      sure = true;
      dialog.close();
    };
    const dialog = openDialog(words, title, [
      h('p', null, text),
      h('div', { class: 'form-actions' },
        button(words.cancel, { click: () => dialog.close() }), button(yes, { kind: danger ? 'danger' : 'primary', click: agree })),
    ], { closed: () => answer(sure) });
  });
}
