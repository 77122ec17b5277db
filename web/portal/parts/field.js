// Fields of forms: a label, perhaps a hint, and what is wrong.
import { h } from '../dom.js';
import { icon } from './icon.js';

/**
 * Puts a label to a control. `fault` says what is wrong with it, and takes it back for ''.
 *
 * @template {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control
 * @param {string} label
 * @param {Control} control
 * @param {{ hint?: string }} [options]
 */
export function field(label, control, { hint } = {}) {
  const id = `field-${++fields}`;
  control.id = id;
  control.classList.add('input');
  const wrong = h('p', { class: 'fault', id: `${id}-fault`, role: 'alert' });
  const note = hint ? h('p', { class: 'hint', id: `${id}-hint` }, hint) : null;
  if (note) control.setAttribute('aria-describedby', note.id);
  return {
    element: h('div', { class: 'field' }, h('label', { for: id }, label), control, note, wrong),
    control,
    /** @param {string} text */
    fault(text) {
      wrong.replaceChildren(...(text ? [icon('alert'), text] : []));
      if (text) control.setAttribute('aria-invalid', 'true');
      else control.removeAttribute('aria-invalid');
      control.setAttribute('aria-describedby', [note?.id, text && wrong.id].filter(Boolean).join(' '));
    },
  };
}

let fields = 0;

/**
 * A field to search with, which tells after a moment of quiet.
 *
 * @param {string} label
 * @param {(text: string) => void} changed
 * @param {string} [text]
 */
export function searchField(label, changed, text = '') {
  let timer = 0;
  const input = h('input', {
    type: 'search', class: 'input', 'aria-label': label, placeholder: label, value: text, autocomplete: 'off',
    input: () => {
      clearTimeout(timer);
      timer = setTimeout(() => changed(input.value.trim()), 200);
    },
  });
  return h('div', { class: 'search', role: 'search' }, icon('search'), input);
}
