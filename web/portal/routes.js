// The pages of people, by their paths.
import { accountPage } from './pages/account.js';
import { appsPage } from './pages/apps.js';
import { articlePage } from './pages/article.js';
import { feedPage } from './pages/feed.js';
import { homePage } from './pages/home.js';
import { inboxPage } from './pages/inbox.js';
import { todosPage } from './pages/todos.js';

/** @type {import('./router.js').Route<import('./portal.js').PageMaker>[]} */
export const routes = [
  { path: '/', page: homePage },
  { path: '/todos', page: todosPage },
  { path: '/inbox', page: inboxPage },
  { path: '/news', page: (portal) => feedPage(portal, 'news') },
  { path: '/notices', page: (portal) => feedPage(portal, 'notices') },
  { path: '/articles/:id', page: articlePage },
  { path: '/apps', page: appsPage },
  { path: '/account', page: accountPage },
];
