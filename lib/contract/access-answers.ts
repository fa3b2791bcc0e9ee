import { z } from 'zod';

import { roles, scopes } from './access';
import { time } from './answers';

/** What the API says of keys, members and the caller. A secret is told once, when it is made. */

const keyAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    client: z.string(),
    prefix: z.string().meta({ description: 'The readable beginning of the secret' }),
    scopes: z.array(z.enum(scopes)),
    patterns: z.array(z.string()),
    state: z.enum(['active', 'expired', 'revoked']),
    created_at: time,
    created_by: z.string(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
    last_used_at: time.nullable().meta({ description: 'To the minute' }),
  })
  .meta({ id: 'Key' });

export const keysAnswer = z.strictObject({ keys: z.array(keyAnswer), now: time });
export const newKeyAnswer = z.strictObject({ key: keyAnswer, secret: z.string() });
export const rotatedKeyAnswer = z.strictObject({
  key: keyAnswer,
  secret: z.string(),
  replaced: keyAnswer,
});
export const oneKeyAnswer = z.strictObject({ key: keyAnswer });

const memberAnswer = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    state: z.enum(['invited', 'active']),
    signs_in_by: z.array(z.enum(['password', 'provider'])).meta({
      description:
        'Empty until a password is set. A provider says the role anew with every sign-in',
    }),
    created_at: time,
  })
  .meta({ id: 'Member' });

export const membersAnswer = z.strictObject({ members: z.array(memberAnswer), now: time });
export const oneMemberAnswer = z.strictObject({ member: memberAnswer });
export const memberLinkAnswer = z.strictObject({
  member: memberAnswer,
  link: z.string().meta({ description: 'Hand it over: whoever opens it first sets the password' }),
  link_expires_at: time,
});

export const linkAnswer = z.strictObject({
  kind: z.enum(['first-admin', 'member']),
  email: z.string().nullable(),
  role: z.enum(roles),
  expires_at: time,
});

export const meAnswer = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('person'),
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(roles),
    signs_in_by: z.array(z.enum(['password', 'provider'])),
    admins: z.array(z.string()).meta({
      description: 'The addresses of those who can give more rights, at most 10',
    }),
    session_expires_at: time,
  }),
  z.strictObject({
    kind: z.literal('key'),
    id: z.string(),
    name: z.string(),
    client: z.string(),
    scopes: z.array(z.enum(scopes)),
    patterns: z.array(z.string()),
    expires_at: time.nullable(),
  }),
]);

/** What the sign-in page offers. Not a row of the endpoint table, as nothing under `/api/auth` is. */
export const signInWaysAnswer = z.strictObject({
  provider: z.boolean(),
  is_set_up: z.boolean(),
});

export type KeyOnWire = z.infer<typeof keyAnswer>;
export type MemberOnWire = z.infer<typeof memberAnswer>;
export type MeOnWire = z.infer<typeof meAnswer>;
