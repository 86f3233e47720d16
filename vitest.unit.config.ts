import { configDefaults, mergeConfig } from 'vitest/config';
import { PROGRAMS } from './test/support/programs.ts';
import all from './vitest.config.ts';

/** The tests that start no built program, keychain or browser. */
export default mergeConfig(all, { test: { exclude: [...configDefaults.exclude, ...PROGRAMS] } });
