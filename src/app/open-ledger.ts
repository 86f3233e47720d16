// Transitional: the old name of `ledger.ts`.
export { ledgerPath } from './config.ts';
export { type OpenLedger, openLedger } from './ledger.ts';
