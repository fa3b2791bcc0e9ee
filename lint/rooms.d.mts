import type { Linter } from 'eslint';

export declare const roomRules: Linter.Config[];
