// An OpenID Connect provider that shares no code with Hub. It is started in the folder of its packages, as
//   PROVIDER_ISSUER=http://localhost:3000 PROVIDER_REDIRECTS='["http://..."]' node --input-type=module < provider.mjs
// and says "ready" when it listens. People log in by a number and any password.
import Provider from 'oidc-provider';

const people = {
  1001: { preferred_username: 'dora', name: 'Dora D.', email: 'dora@people.example', roles: ['staff'] },
  1002: { preferred_username: 'emil', name: 'Emil E.', email: 'emil@people.example', roles: [] },
};

const issuer = new URL(process.env.PROVIDER_ISSUER);
const provider = new Provider(issuer.href.replace(/\/$/, ''), {
  clients: [{
    client_id: 'hub',
    client_secret: process.env.PROVIDER_SECRET,
    redirect_uris: JSON.parse(process.env.PROVIDER_REDIRECTS),
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic',
  }],
  pkce: { required: () => true },
  scopes: ['openid', 'profile', 'email'],
  claims: {
    openid: ['sub'],
    profile: ['preferred_username', 'name', 'roles'],
    email: ['email'],
  },
  // As most providers do, it tells of the person in the ID token.
  conformIdTokenClaims: false,
  cookies: { keys: [process.env.PROVIDER_SECRET] },
  findAccount: (_, id) => people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
});
provider.listen(Number(issuer.port), '127.0.0.1', () => console.log('ready'));
