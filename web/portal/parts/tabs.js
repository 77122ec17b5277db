// Tabs by the pattern of WAI-ARIA: arrows go from tab to tab, and what is chosen is shown at once.
import { h } from '../dom.js';
import { count } from './basics.js';

/**
 * @template {string} Name
 * @param {object} options
 * @param {string} options.label what is chosen, for who listens
 * @param {{ name: Name, text: string }[]} options.tabs
 * @param {Name} options.chosen
 * @param {HTMLElement} options.panel what the chosen tab shows
 * @param {(name: Name) => void} options.choose
 */
export function tabs({ label, tabs: all, chosen, panel, choose }) {
  const group = `tabs-${++groups}`;
  panel.id = `${group}-panel`;
  panel.setAttribute('role', 'tabpanel');
  let current = chosen;
  const buttons = all.map(({ name, text }) => h('button', {
    type: 'button', role: 'tab', class: 'tab', id: `${group}-${name}`, 'aria-controls': panel.id, 'data-name': name,
    click: () => select(name),
  }, text));
  const element = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label, keydown: move }, ...buttons);

  /** @param {KeyboardEvent} event */
  function move(event) {
    const at = all.findIndex(({ name }) => name === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const i = (to + all.length) % all.length;
    select(/** @type {Name} */ (all[i]?.name));
    buttons[i]?.focus();
  }

  /** @param {Name} name */
  function select(name) {
    if (name === current) return;
    show(name);
    choose(name);
  }

  /** @param {Name} name */
  function show(name) {
    current = name;
    buttons.forEach((tab) => {
      const on = tab.dataset.name === name;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      if (on) panel.setAttribute('aria-labelledby', tab.id);
    });
  }

  show(chosen);
  return {
    element,
    /** Shows another tab as chosen. */
    show,
    /** Puts numbers beside the texts. @param {Partial<Record<Name, number>>} numbers */
    count(numbers) {
      buttons.forEach((tab, i) => {
        tab.querySelector('.count')?.remove();
        const n = numbers[/** @type {Name} */ (all[i]?.name)];
        const number = count(n, 'calm');
        if (number) tab.append(' ', number);
      });
    },
  };
}

let groups = 0;
