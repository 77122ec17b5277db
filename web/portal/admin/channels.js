// The channels of news and notices.
import { h } from '../dom.js';
import { badge, linkButton } from '../parts/basics.js';
import { icon } from '../parts/icon.js';
import { pageLink } from '../router.js';
import { choiceField, subjectsOf, textField, visibleField } from './form.js';
import { managedPage } from './managed.js';

/** @typedef {import('./types.js').Channel} Channel */

/**
 * @param {import('../portal.js').Portal} portal
 * @returns {import('../portal.js').Page}
 */
export function channelsPage(portal) {
  const { words } = portal;
  const our = words.manage.channels;
  return managedPage(portal, {
    texts: our, path: '/portal/admin/cms/channels', icon: 'notices',
    id: (/** @type {Channel} */ { id }) => id,
    mark: ({ type }) => h('span', { class: 'avatar', 'data-tone': type === 'news' ? '0' : '2', 'aria-hidden': 'true' }, icon(type === 'news' ? 'news' : 'notices')),
    facts: ({ id, type }) => [badge(our.types[type]), linkButton(our.articles, pageLink('/manage/articles', { channelId: id }), { kind: 'quiet small' })],
    form(channel) {
      const fields = {
        name: textField(our.name, channel?.name ?? '', { required: true }),
        type: choiceField(our.type, channel?.type ?? 'news', [['news', our.types.news], ['notice', our.types.notice]]),
        sort: textField(words.manage.sort, String(channel?.sort ?? 0), { type: 'number', step: '1', hint: words.manage.sortHint }),
        visibleFor: visibleField(portal, channel?.visibleFor ?? []),
      };
      return {
        fields,
        value: () => ({
          name: fields.name.control.value.trim(), type: fields.type.control.value,
          sort: Number(fields.sort.control.value), visibleFor: subjectsOf(fields.visibleFor.control.value),
        }),
      };
    },
  });
}
