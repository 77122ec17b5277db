// An editor for the HTML that articles may have, with the browser's own editing.
import { HubError } from '../api.js';
import { h } from '../dom.js';
import { iconButton } from '../parts/basics.js';
import { clean, goodLink, htmlOf } from './clean.js';
import { formDialog, textField } from './form.js';
import { choosePicture, upload } from './upload.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('../parts/icon.js').IconName} IconName */
/** @typedef {{ word: keyof import('../preferences.js').Words['manage']['editor'], icon: IconName, run: () => void, on?: () => boolean }} Tool */

/**
 * @param {Portal} portal
 * @param {string} html
 * @param {() => void} changed
 */
export function editor(portal, html, changed) {
  const words = portal.words.manage.editor;
  const area = h('div', {
    class: 'prose editor-text', contenteditable: 'true', role: 'textbox', 'aria-multiline': 'true', 'aria-labelledby': 'editor-label', tabindex: 0,
    input: changed, paste, drop, keydown: shortcut, focus: () => show(), blur: () => keep(),
  });
  area.append(...clean(html));
  /** Where the person was in the text before she went to a dialog. @type {Range | null} */
  let place = null;

  const command = (/** @type {string} */ name, /** @type {string} */ value = '') => {
    comeBack();
    document.execCommand('defaultParagraphSeparator', false, 'p');
    document.execCommand(name, false, value);
    show();
  };
  /** @param {string} tag that the paragraph becomes, or is no more */
  const block = (tag) => command('formatBlock', blockOf() === tag ? 'p' : tag);
  const blockOf = () => document.queryCommandValue('formatBlock').toLowerCase();
  const inside = (/** @type {string} */ name) => () => document.queryCommandState(name);
  const is = (/** @type {string} */ tag) => () => blockOf() === tag;

  /** @type {(Tool | null)[]} */
  const tools = [
    { word: 'heading', icon: 'heading', run: () => block('h2'), on: is('h2') },
    { word: 'smallHeading', icon: 'subheading', run: () => block('h3'), on: is('h3') },
    null,
    { word: 'bold', icon: 'bold', run: () => command('bold'), on: inside('bold') },
    { word: 'italic', icon: 'italic', run: () => command('italic'), on: inside('italic') },
    null,
    { word: 'bullets', icon: 'bullets', run: () => command('insertUnorderedList'), on: inside('insertUnorderedList') },
    { word: 'numbers', icon: 'numbers', run: () => command('insertOrderedList'), on: inside('insertOrderedList') },
    { word: 'quote', icon: 'quote', run: () => block('blockquote'), on: is('blockquote') },
    null,
    { word: 'link', icon: 'link', run: link, on: () => linkHere() !== null },
    { word: 'picture', icon: 'picture', run: () => choosePicture(portal, picture) },
    null,
    { word: 'plain', icon: 'plain', run: () => { command('removeFormat'); command('unlink'); } },
    { word: 'undo', icon: 'undo', run: () => command('undo') },
  ];
  const buttons = tools.flatMap((tool) => {
    if (!tool) return [];
    const element = iconButton(words[tool.word], tool.icon, () => {
      keep(); // what was selected a moment ago: a browser tells of it later
      tool.run();
    });
    // A press must not take the focus out of the text, where it is to change something.
    element.addEventListener('pointerdown', (event) => event.preventDefault());
    return [{ tool, element }];
  });
  const bar = h('div', { class: 'editor-bar', role: 'toolbar', 'aria-label': words.toolbar, 'aria-controls': 'editor-text', keydown: move },
    ...tools.map((tool) => (tool ? buttons.find((b) => b.tool === tool)?.element : h('span', { class: 'gap' }))));
  area.id = 'editor-text';
  buttons.forEach(({ element }, i) => { element.tabIndex = i === 0 ? 0 : -1; });
  document.addEventListener('selectionchange', show);

  /** Arrows go through the tools; there is one stop of the tab key. @param {KeyboardEvent} event */
  function move(event) {
    const all = buttons.map(({ element }) => element);
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    for (const element of all) element.tabIndex = element === next ? 0 : -1;
    next?.focus();
  }

  /** @param {KeyboardEvent} event */
  function shortcut(event) {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    link();
  }

  /** Shows which tools are on where the person writes. */
  function show() {
    if (!area.contains(getSelection()?.anchorNode ?? null)) return;
    keep();
    for (const { tool, element } of buttons) if (tool.on) element.setAttribute('aria-pressed', String(tool.on()));
  }

  function keep() {
    const selection = getSelection();
    if (selection?.rangeCount && area.contains(selection.anchorNode)) place = selection.getRangeAt(0).cloneRange();
  }

  function comeBack() {
    const known = place;
    area.focus({ preventScroll: true });
    const selection = getSelection();
    if (!known || !selection || !area.contains(known.startContainer)) return;
    selection.removeAllRanges();
    selection.addRange(known);
  }

  /** @returns {HTMLAnchorElement | null} */
  function linkHere() {
    const at = place?.commonAncestorContainer;
    const element = at instanceof Element ? at : at?.parentElement;
    const found = element?.closest('a');
    return found && area.contains(found) ? found : null;
  }

  function link() {
    keep();
    const here = linkHere();
    const address = textField(words.address, here?.getAttribute('href') ?? '', { type: 'url', placeholder: 'https://', hint: words.addressHint });
    formDialog(portal, {
      title: words.link, yes: words.setLink, fields: { address },
      save: async () => {
        const to = address.control.value.trim();
        if (to && !goodLink(to)) throw new HubError(words.badAddress, { status: 400 });
        // The dialog closes first, since the text takes no focus beneath it.
        setTimeout(() => setLink(here, to));
      },
    });
  }

  /**
   * @param {HTMLAnchorElement | null} here
   * @param {string} to
   */
  function setLink(here, to) {
    comeBack();
    if (here) getSelection()?.selectAllChildren(here);
    keep();
    if (!to) command('unlink');
    else if (getSelection()?.isCollapsed) insert([Object.assign(h('a', { href: to }), { textContent: to })]);
    else command('createLink', to);
  }

  /**
   * @param {string} url
   * @param {string} name of the file
   */
  function picture(url, name) {
    const alt = textField(words.alt, name.replace(/\.\w+$/, ''), { hint: words.altHint });
    formDialog(portal, {
      title: words.picture, yes: words.insert, fields: { alt },
      save: async () => {
        setTimeout(() => insert([h('p', null, h('img', { src: url, alt: alt.control.value.trim() }))]));
      },
    });
  }

  /** Puts nodes in where the person writes; undo takes them out. @param {Node[]} nodes that are clean */
  function insert(nodes) {
    command('insertHTML', htmlOf(nodes));
    changed();
  }

  /** @param {ClipboardEvent} event */
  function paste(event) {
    const data = event.clipboardData;
    if (data) take(event, data);
  }

  /** @param {DragEvent} event */
  function drop(event) {
    const data = event.dataTransfer;
    if (data && (data.files.length > 0 || data.types.includes('text/html') && !event.composedPath().includes(area))) take(event, data);
  }

  /**
   * @param {Event} event
   * @param {DataTransfer} data
   */
  function take(event, data) {
    const html = data.getData('text/html');
    const files = [...data.files].filter(({ type }) => type.startsWith('image/'));
    if (!html && files.length === 0) return; // plain text: the browser does it right
    event.preventDefault();
    keep();
    if (html) return insert(clean(html));
    void portal.act(async () => {
      for (const file of files) insert([h('p', null, h('img', { src: await upload(portal, file), alt: '' }))]);
    });
    return undefined;
  }

  return {
    element: h('div', { class: 'editor' }, bar, area),
    /** What was written, clean. */
    get value() {
      if (area.textContent.trim() === '' && !area.querySelector('img, hr, table')) return '';
      return htmlOf(clean(area.innerHTML)); // allowed: it is read
    },
    /** What the HTML of an article becomes here, when nobody changes it. @param {string} html */
    normal: (html) => htmlOf(clean(html)),
    /** @param {string} now */
    set value(now) {
      area.replaceChildren(...clean(now));
    },
    close: () => document.removeEventListener('selectionchange', show),
  };
}
