// The applications that the portal leads to.
import { avatar, badge } from '../parts/basics.js';
import { choiceField, subjectsOf, textField, visibleField } from './form.js';
import { managedPage } from './managed.js';
import { pictureField } from './upload.js';

/** @typedef {import('./types.js').ManagedApp} ManagedApp */

/**
 * @param {import('../portal.js').Portal} portal
 * @returns {import('../portal.js').Page}
 */
export function appsPage(portal) {
  const { words } = portal;
  const our = words.manage.apps;
  return managedPage(portal, {
    texts: our, path: '/admin/apps', icon: 'apps',
    id: (/** @type {ManagedApp} */ { appId }) => appId,
    mark: ({ name, iconUrl }) => avatar(name, { picture: iconUrl }),
    facts: ({ appId, entryUrl, sso }) => [appId, ' · ', entryUrl, sso === 'ticket' && badge(our.ticket, 'info')],
    form(app) {
      const fields = {
        appId: textField(our.id, app?.appId ?? '', { required: true, disabled: app !== null, hint: our.idHint }),
        name: textField(our.name, app?.name ?? '', { required: true }),
        entryUrl: textField(our.entry, app?.entryUrl ?? '', { type: 'url', required: true, placeholder: 'https://crm.example/', hint: our.entryHint }),
        sso: choiceField(our.sso, app?.sso ?? 'none', [['none', our.noTicket], ['ticket', our.ticket]], { hint: our.ssoHint }),
        sort: textField(words.manage.sort, String(app?.sort ?? 0), { type: 'number', step: '1', hint: words.manage.sortHint }),
        visibleFor: visibleField(portal, app?.visibleFor ?? []),
      };
      const icon = pictureField(portal, our.icon, app?.iconUrl ?? '');
      return {
        fields,
        more: [icon.element],
        value: () => ({
          ...(app === null && { appId: fields.appId.control.value.trim() }),
          name: fields.name.control.value.trim(), iconUrl: icon.value, entryUrl: fields.entryUrl.control.value.trim(),
          sso: fields.sso.control.value, sort: Number(fields.sort.control.value), visibleFor: subjectsOf(fields.visibleFor.control.value),
        }),
      };
    },
  });
}
