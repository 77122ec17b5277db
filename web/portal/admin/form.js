// Forms that change something at the server, which says what is wrong.
import { h } from '../dom.js';
import { button } from '../parts/basics.js';
import { openDialog } from '../parts/dialog.js';
import { field } from '../parts/field.js';
import { icon } from '../parts/icon.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {{ element: HTMLElement, control: Control, fault: (text: string) => void }} Field */

/** @param {unknown} failure */
export const statusOf = (failure) => (failure instanceof Error && 'status' in failure ? Number(failure.status) : 0);

/**
 * @param {string} label
 * @param {string} value
 * @param {{ hint?: string, type?: string, required?: boolean, disabled?: boolean, placeholder?: string, step?: string }} [options]
 */
export function textField(label, value, { hint, type = 'text', ...attributes } = {}) {
  return field(label, h('input', { type, value, autocomplete: 'off', ...attributes }), { hint });
}

/**
 * @param {string} label
 * @param {string} value
 * @param {{ hint?: string, rows?: number }} [options]
 */
export function areaField(label, value, { hint, rows = 3 } = {}) {
  const area = h('textarea', { rows });
  area.value = value;
  return field(label, area, { hint });
}

/**
 * @param {string} label
 * @param {string} value
 * @param {[value: string, text: string][]} choices
 * @param {{ hint?: string, disabled?: boolean }} [options]
 */
export function choiceField(label, value, choices, { hint, disabled = false } = {}) {
  const select = h('select', { disabled }, ...choices.map(([name, text]) => h('option', { value: name }, text)));
  select.value = value;
  return field(label, select, { hint });
}

/**
 * Who sees something: subjects such as `dept:sales`, one in a line.
 *
 * @param {Portal} portal
 * @param {string[]} subjects
 */
export function visibleField({ words }, subjects) {
  return areaField(words.manage.visibleFor, subjects.join('\n'), { hint: words.manage.visibleForHint });
}

/** @param {string} text of a field for subjects */
export const subjectsOf = (text) => text.split(/[\s,]+/).filter(Boolean);

/**
 * Shows what is wrong at the field that the server names first, and elsewhere when there is no such field.
 *
 * @param {Portal} portal
 * @param {Record<string, Field>} fields by their names at the server
 */
export function faults(portal, fields) {
  const general = h('p', { class: 'fault', role: 'alert' });
  const clear = () => {
    general.replaceChildren();
    for (const one of Object.values(fields)) one.fault('');
  };
  return {
    element: general,
    clear,
    /** @param {unknown} failure */
    show(failure) {
      clear();
      const text = portal.explain(failure);
      const named = fields[/^\w+/.exec(text)?.[0] ?? ''];
      if (named && statusOf(failure) === 400) {
        named.fault(text);
        named.control.focus();
      } else general.replaceChildren(icon('alert'), text);
    },
  };
}

/**
 * Opens a dialog with a form. It closes when what was asked for is done, and stays with what is wrong.
 *
 * @param {Portal} portal
 * @param {{ title: string, lead?: string, fields: Record<string, Field>, more?: HTMLElement[], yes: string, danger?: boolean, save: () => Promise<unknown> }} options
 */
export function formDialog(portal, { title, lead, fields, more = [], yes, danger = false, save }) {
  const { words } = portal;
  const wrong = faults(portal, fields);
  const submit = button(yes, { kind: danger ? 'danger' : 'primary', type: 'submit' });
  const form = h('form', {
    class: 'form', novalidate: true,
    submit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      submit.disabled = true;
      try {
        await save();
        dialog.close();
      } catch (failure) {
        submit.disabled = false;
        wrong.show(failure);
      }
    },
  },
  lead && h('p', null, lead), wrong.element, ...Object.values(fields).map(({ element }) => element), ...more,
  h('div', { class: 'form-actions' }, button(words.cancel, { click: () => dialog.close() }), submit));
  const dialog = openDialog(words, title, [form]);
  Object.values(fields).find(({ control }) => !control.disabled)?.control.focus();
}
