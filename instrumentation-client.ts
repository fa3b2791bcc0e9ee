import { config } from 'zod';

/**
 * Next runs this file in the browser before any other. zod tries, for the first schema that is made, whether it may make
 * functions of text: in a page the policy on scripts says no, and the browser reports it as an attack.
 */
config({ jitless: true });
