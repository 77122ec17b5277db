// Files that administrators send to Hub.
import { h } from '../dom.js';
import { fileLink } from '../links.js';
import { button } from '../parts/basics.js';

/** @typedef {import('../portal.js').Portal} Portal */

const pictures = 'image/png,image/jpeg,image/gif,image/webp';

/**
 * Sends a file and gives its address. It may take two minutes, and is sent once.
 *
 * @param {Portal} portal
 * @param {File} file
 * @returns {Promise<string>}
 */
export async function upload(portal, file) {
  const body = new FormData();
  body.append('file', file);
  const { data } = await portal.hub.call('POST', '/portal/admin/files/upload', { body, retries: 0, timeout: 120_000 });
  return /** @type {{ url: string }} */ (data).url;
}

/**
 * Lets the person choose a picture and sends it.
 *
 * @param {Portal} portal
 * @param {(url: string, name: string) => void} done
 */
export function choosePicture(portal, done) {
  const input = h('input', {
    type: 'file', accept: pictures,
    change: async () => {
      const file = input.files?.[0];
      const url = file && await portal.act(() => upload(portal, file));
      if (url) done(url, file.name);
    },
  });
  input.click();
}

/**
 * A field for a picture of Hub's own. Only who may write articles uploads; all others see what is there.
 *
 * @param {Portal} portal
 * @param {string} label
 * @param {string} value the address of a file, or empty
 * @param {{ changed?: () => void, hint?: string }} [options]
 */
export function pictureField(portal, label, value, { changed, hint } = {}) {
  const words = portal.words.manage;
  let url = value;
  const preview = h('div', { class: 'picture' });
  const draw = () => {
    const src = fileLink(url);
    preview.replaceChildren(...[
      src && h('img', { src, alt: words.pictureOf(label) }),
      h('div', { class: 'picture-actions' },
        portal.may('content') && button(src ? words.changePicture : words.addPicture, { kind: 'small', icon: 'upload', click: () => choosePicture(portal, set) }),
        src && button(words.removePicture, { kind: 'small', click: () => set('') })),
    ].filter((part) => part instanceof Node));
  };
  const set = (/** @type {string} */ now) => {
    url = now;
    draw();
    changed?.();
  };
  draw();
  return {
    element: h('div', { class: 'field', role: 'group', 'aria-label': label }, h('span', { class: 'label' }, label), preview, hint && h('p', { class: 'hint' }, hint)),
    get value() {
      return url;
    },
    set value(now) {
      url = now;
      draw();
    },
  };
}
