import { z } from 'zod';

import {
  clientField,
  emailField,
  futureField,
  keyNameField,
  linkTokenField,
  overlapField,
  passwordField,
  patternsField,
  personNameField,
  roleField,
  scopesField,
} from './access-fields';

/** The bodies of what concerns keys and members. */

export const createKeyBody = z
  .strictObject({
    name: keyNameField,
    client: clientField,
    scopes: scopesField,
    patterns: patternsField,
    expires_at: futureField.nullable().optional(),
  })
  .transform(({ expires_at, ...body }) => ({ ...body, expiresAtMs: expires_at ?? null }));

export const rotateKeyBody = z
  .strictObject({
    overlap_seconds: overlapField,
    /** When the new key stops working: as the old one would, unless given. */
    expires_at: futureField.nullable().optional(),
  })
  .transform(({ overlap_seconds, expires_at }) => ({
    overlapMs: overlap_seconds * 1000,
    expiresAtMs: expires_at,
  }));

export const inviteMemberBody = z.strictObject({
  email: emailField,
  role: roleField,
  name: personNameField.optional(),
});

export const changeMemberBody = z.strictObject({ role: roleField });

export const lookUpLinkBody = z.strictObject({ token: linkTokenField });

export const redeemLinkBody = z.strictObject({
  token: linkTokenField,
  password: passwordField,
  email: emailField.optional(),
  name: personNameField.optional(),
});
