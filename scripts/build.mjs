// Builds dist/ as rolldown.config.mjs says, and says nothing unless it fails.
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';

await build({ ...config, logLevel: 'warn' });
