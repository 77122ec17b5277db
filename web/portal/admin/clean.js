// The HTML of articles: what an editor keeps of a text that was pasted or stored. Hub sanitises it again.

/** Elements that stay, as services/portalhub/internal/content/sanitise.go has them. */
const kept = new Set(['p', 'div', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'figure', 'figcaption',
  'b', 'strong', 'i', 'em', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'code', 'kbd', 'samp', 'var', 'q', 'cite', 'abbr',
  'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'a', 'img']);

/** Elements that go with all that is in them. */
const gone = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'math', 'title', 'head', 'meta', 'link',
  'form', 'input', 'select', 'textarea', 'button', 'audio', 'video', 'canvas']);

/** Attributes that stay, and the values that they may have. @type {Record<string, Record<string, RegExp>>} */
const attributes = {
  a: { href: /^(?:https?:\/\/|mailto:|#|\/(?![/\\]))[^\s\\\p{C}]*$/iu },
  img: { src: /^\/files\/[0-9a-f]{32}$/, alt: /^/, width: /^[1-9]\d{0,3}$/, height: /^[1-9]\d{0,3}$/ },
  th: { colspan: /^[1-9]\d{0,2}$/, rowspan: /^[1-9]\d{0,2}$/, scope: /^(?:row|col|rowgroup|colgroup)$/ },
  td: { colspan: /^[1-9]\d{0,2}$/, rowspan: /^[1-9]\d{0,2}$/ },
  ol: { start: /^[1-9]\d{0,3}$/ },
};

/** @param {string} address */
export const goodLink = (address) => /** @type {RegExp} */ (attributes.a?.href).test(address);

/**
 * The nodes of a text that may stay, made anew. A document that is only parsed runs nothing and loads nothing.
 *
 * @param {string} html
 * @returns {Node[]}
 */
export function clean(html) {
  return children(new DOMParser().parseFromString(html, 'text/html').body);
}

/** @param {Node} parent */
function children(parent) {
  return [...parent.childNodes].flatMap(one);
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
function one(node) {
  if (node instanceof Text) return [document.createTextNode(node.data)];
  if (!(node instanceof Element) || gone.has(node.localName)) return [];
  const name = node.localName;
  if (!kept.has(name)) return children(node);
  const made = document.createElement(name);
  for (const [attribute, good] of Object.entries(attributes[name] ?? {})) {
    const value = node.getAttribute(attribute)?.trim();
    if (value !== undefined && good.test(value)) made.setAttribute(attribute, value);
  }
  if (name === 'img' && !made.hasAttribute('src')) return [];
  made.append(...children(node));
  return name === 'a' && !made.hasAttribute('href') ? [...made.childNodes] : [made];
}

/**
 * The HTML of nodes that are clean.
 *
 * @param {Node[]} nodes
 */
export function htmlOf(nodes) {
  const holder = document.createElement('div');
  holder.append(...nodes);
  return holder.innerHTML; // allowed: it is read, and nothing is made of it here
}
