import type { LedgerUpload } from '../../ledger/uploads.ts';

/** The state of a recording that was sent, and why. */
export interface UploadState {
  readonly state: 'uploaded' | 'refused' | 'waiting';
  readonly reason: string;
}

export function stateOf({ state, message }: LedgerUpload): UploadState {
  switch (state) {
    case 'confirmed':
      return { state: 'uploaded', reason: 'The service confirmed it.' };
    case 'rejected':
      return { state: 'refused', reason: `The service refused it: ${message ?? ''}` };
    case 'pending':
      return {
        state: 'waiting',
        reason:
          'An upload began, and the service has not confirmed it yet. The next run sends it again.',
      };
  }
}
