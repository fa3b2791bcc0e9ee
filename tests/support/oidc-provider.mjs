// A provider of OpenID Connect as a process of its own. People are entered by `PUT /people/{sub}` with their claims, and
// sign in at the page of an interaction by `?as={sub}`. `PUT /lie` makes it break a rule, as a forger would.
import { createServer } from 'node:http';

import Provider from 'oidc-provider';

const {
  PORT = '0',
  ISSUER_PATH = '',
  CLIENT_ID,
  CLIENT_SECRET,
  REDIRECT_URI,
  ID_TOKEN_CLAIMS,
} = process.env;

const people = new Map();
/** What it lies about; null while it is honest. */
let lie = null;

const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
server.listen(Number(PORT), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  provider = makeProvider(url);
  process.stdout.write(`provider at ${url}\n`);
});

let provider;

function makeProvider(url) {
  const made = new Provider(`${url}${ISSUER_PATH}`, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    // Also those that the tests make up: a provider is set up to send roles with the profile.
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'holdfast_role', 'realm', 'https://roles.example.com/holdfast'],
    },
    conformIdTokenClaims: ID_TOKEN_CLAIMS !== 'all',
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['only for tests'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
  });
  made.use(async (context, next) => {
    await next();
    if (context.path === '/token' && lie === 'signature') context.body = forged(context.body);
    if (context.path === '/me' && lie === 'another subject') {
      context.body = { ...context.body, sub: 'somebody-else' };
    }
  });
  return made;
}

/** The token with another role in it, under the signature that it had. */
function forged(body) {
  if (body.id_token === undefined) return body;
  const [head, payload, signature] = body.id_token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, holdfast_role: 'admin' }));
  return { ...body, id_token: [head, changed.toString('base64url'), signature].join('.') };
}

async function serve(incoming, outgoing) {
  const url = new URL(incoming.url, 'http://provider.invalid');
  const [, what, name] = url.pathname.split('/');
  if (lie === 'silence' && incoming.method === 'GET') return;
  if (incoming.method === 'PUT') {
    const body = JSON.parse(await textOf(incoming));
    if (what === 'people') people.set(decodeURIComponent(name), body);
    else lie = body;
    outgoing.writeHead(204).end();
    return;
  }
  if (what !== 'interaction') {
    provider.callback()(incoming, outgoing);
    return;
  }
  await interact(incoming, outgoing, url.searchParams.get('as'));
}

async function interact(incoming, outgoing, sub) {
  const { params } = await provider.interactionDetails(incoming, outgoing);
  const grant = new provider.Grant({ accountId: sub, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const grantId = await grant.save();
  await provider.interactionFinished(incoming, outgoing, {
    login: { accountId: sub },
    consent: { grantId },
  });
}

async function textOf(incoming) {
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return text;
}
