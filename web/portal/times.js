// Times, as a reader of a language says them.
import { h } from './dom.js';

/** @typedef {import('./preferences.js').Language} Language */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const locales = { en: 'en-GB', zh: 'zh-CN' };

/**
 * The locale for Intl: the browser's own where it is one of the language.
 *
 * @param {Language} language
 */
export function locale(language) {
  return navigator.languages.find((known) => known.toLowerCase().startsWith(language)) ?? locales[language];
}

/**
 * How long ago, or a date: "5 min. ago", "yesterday", "3 May".
 *
 * @param {Date} at
 * @param {string} tongue
 * @param {number} [now]
 */
function ago(at, tongue, now = Date.now()) {
  const passed = now - at.getTime();
  const relative = new Intl.RelativeTimeFormat(tongue, { numeric: 'auto', style: 'short' });
  if (passed < minute && passed > -minute) return relative.format(0, 'second');
  if (passed >= 0 && passed < hour) return relative.format(-Math.floor(passed / minute), 'minute');
  const days = daysBetween(at, new Date(now));
  if (days === 0) return new Intl.DateTimeFormat(tongue, { hour: 'numeric', minute: '2-digit' }).format(at);
  if (days === -1 || days === 1) return relative.format(days, 'day');
  return date(at, tongue, now);
}

/**
 * When something is due, by days: "today, 17:00", "tomorrow", "in 5 days".
 *
 * @param {Date} at
 * @param {string} tongue
 * @param {number} [now]
 */
export function due(at, tongue, now = Date.now()) {
  const days = daysBetween(at, new Date(now));
  const relative = new Intl.RelativeTimeFormat(tongue, { numeric: 'auto' });
  if (days === 0) return `${relative.format(0, 'day')}, ${new Intl.DateTimeFormat(tongue, { hour: 'numeric', minute: '2-digit' }).format(at)}`;
  return Math.abs(days) < 8 ? relative.format(days, 'day') : date(at, tongue, now);
}

/**
 * @param {Date} at
 * @param {string} tongue
 * @param {number} now
 */
function date(at, tongue, now) {
  const sameYear = at.getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(tongue, sameYear ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' }).format(at);
}

/**
 * @param {Date} at
 * @param {string} tongue
 */
export function full(at, tongue) {
  return new Intl.DateTimeFormat(tongue, { dateStyle: 'full', timeStyle: 'short' }).format(at);
}

/**
 * Calendar days from the second to the first.
 *
 * @param {Date} a
 * @param {Date} b
 */
function daysBetween(a, b) {
  const noon = (/** @type {Date} */ d) => new Date(d.getFullYear(), d.getMonth(), d.getDate(), 12).getTime();
  return Math.round((noon(a) - noon(b)) / day);
}

/**
 * An element that says how long ago something was, and goes on to say it right.
 *
 * @param {string | null} instant
 * @param {string} tongue
 */
export function timeAgo(instant, tongue) {
  if (!instant) return null;
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return null;
  return h('time', { datetime: instant, title: full(at, tongue), 'data-ago': tongue }, ago(at, tongue));
}

/** Says all times of the page again; called each half a minute. */
export function refreshTimes() {
  for (const element of document.querySelectorAll('time[data-ago]')) {
    const { dateTime, dataset } = /** @type {HTMLTimeElement} */ (element);
    const text = ago(new Date(dateTime), dataset.ago ?? 'en');
    if (element.textContent !== text) element.textContent = text;
  }
}
