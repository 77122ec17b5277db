// Short notes at the edge of the page, which are read out, too.
import { h } from '../dom.js';

/** How long a note stays, in milliseconds. One with an action stays longer. */
const stay = { plain: 5000, action: 10_000 };

/** The place of the notes; there is one in the page. */
export function toasts() {
  const element = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
  return {
    element,
    /**
     * @param {string} text
     * @param {HTMLElement} [action] a link or a button
     */
    show(text, action) {
      const toast = h('div', { class: 'toast' }, h('span', null, text), action);
      action?.addEventListener('click', () => toast.remove());
      element.append(toast);
      while (element.children.length > 3) element.firstElementChild?.remove();
      const leave = () => {
        // What is looked at or has the focus stays.
        if (toast.matches(':hover, :focus-within')) setTimeout(leave, stay.plain);
        else toast.remove();
      };
      setTimeout(leave, action ? stay.action : stay.plain);
    },
  };
}
