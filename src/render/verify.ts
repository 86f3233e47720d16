// Transitional: the old place of `missingText`, for render/watch.ts.
export { missingText } from '../commands/verify.ts';
