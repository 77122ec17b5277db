// What a reader chose for this browser: her language and the colours.
import en from './words/en.js';
import zh from './words/zh.js';

/** @typedef {typeof en} Words */
/** @typedef {'en' | 'zh'} Language */
/** @typedef {'auto' | 'light' | 'dark'} Theme */

/** @type {Record<Language, Words>} */
export const languages = { en, zh };

/** @returns {Language} */
export function language() {
  const stored = read('hub-language');
  if (stored === 'en' || stored === 'zh') return stored;
  for (const wanted of navigator.languages) {
    if (/^zh\b/i.test(wanted)) return 'zh';
    if (/^en\b/i.test(wanted)) return 'en';
  }
  return 'en';
}

/** @param {Language} chosen */
export function chooseLanguage(chosen) {
  write('hub-language', chosen);
}

/** @returns {Theme} */
export function theme() {
  const stored = read('hub-theme');
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

/** @param {Theme} chosen */
export function chooseTheme(chosen) {
  write('hub-theme', chosen);
  showTheme();
}

/** Applies the colours that were chosen; without a choice they are those of the system. */
export function showTheme() {
  const chosen = theme();
  if (chosen === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

/** @param {string} key */
function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function write(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice holds until the page is loaded again.
  }
}
