// The pages of administrators. They are fetched by who has a permission only.
import { appsPage } from './apps.js';
import { articlePage } from './article.js';
import { articlesPage } from './articles.js';
import { businessPage, demoOf } from './business.js';
import { channelsPage } from './channels.js';
import { messagesPage } from './messages.js';
import { peoplePage } from './people.js';
import { todosPage } from './todos.js';

/** @typedef {import('../portal.js').Portal} Portal */
/** @typedef {import('../portal.js').PageMaker} PageMaker */
/** @typedef {import('../shell.js').NavItem} NavItem */

/**
 * Which permission opens which pages.
 *
 * @type {{ permission: string, path: string, name: 'articles' | 'channels' | 'apps' | 'todos' | 'messages' | 'people',
 *   icon: import('../parts/icon.js').IconName, page: PageMaker }[]}
 */
const pages = [
  { permission: 'content', path: '/manage/articles', name: 'articles', icon: 'edit', page: articlesPage },
  { permission: 'content', path: '/manage/channels', name: 'channels', icon: 'notices', page: channelsPage },
  { permission: 'apps', path: '/manage/apps', name: 'apps', icon: 'apps', page: appsPage },
  { permission: 'todos', path: '/manage/todos', name: 'todos', icon: 'todos', page: todosPage },
  { permission: 'messages', path: '/manage/messages', name: 'messages', icon: 'inbox', page: messagesPage },
  { permission: 'directory', path: '/manage/people', name: 'people', icon: 'people', page: peoplePage },
];

/**
 * The pages that a person may see, and their places in the navigation, in her language of the moment.
 *
 * @param {Portal} portal
 * @returns {Promise<{ routes: import('../router.js').Route<PageMaker>[], nav: () => NavItem[] }>}
 */
export async function adminRoutes(portal) {
  const mine = pages.filter(({ permission }) => portal.may(permission));
  const routes = mine.map(({ path, page }) => ({ path, page }));
  if (portal.may('content')) routes.push({ path: '/manage/articles/:id', page: articlePage });
  const demo = await demoOf(portal);
  if (demo) routes.push({ path: '/manage/business', page: () => businessPage(portal, demo) });
  return {
    routes,
    nav() {
      /** @type {NavItem[]} */
      const items = mine.map(({ path, name, icon }) => ({ path, text: portal.words.manage[name].title, icon }));
      if (demo) items.push({ path: '/manage/business', text: portal.words.manage.business.short, icon: 'building' });
      return items;
    },
  };
}
