import { ChildError } from '../../system/child-call.ts';
import { mtpMountOf } from '../../system/mtp-path.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { capital } from '../../terminal/words.ts';

/** Returns whether the device left. */
export function isUnplugged({ code }: ChildError): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ECONNABORTED'].includes(code);
}

/** Returns whether every other file would fail in the same way. */
export function isAboutDevice(error: ChildError): boolean {
  const others = ['ETIMEDOUT', 'EBUSY', 'ENOTSUP', 'EOPNOTSUPP'];
  return others.includes(error.code) || (isUnplugged(error) && error.code !== 'ENOENT');
}

/** Returns why a device cannot be read, as a sentence. */
export function reasonOf(error: ChildError, device: string): string {
  switch (error.code) {
    case 'ETIMEDOUT':
      return `${device} does not answer.`;
    case 'EBUSY':
      return `${device} is busy: another program uses it.`;
    case 'EACCES':
    case 'EPERM':
      return describeFileError(error);
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
      return `${device} gives out whole files only: copy its recordings with the file manager, into a folder that is watched.`;
    default:
      return `${device} cannot be read (${error.message}).`;
  }
}

/** Returns the name of the device that a path is on, for the start of a sentence. */
export function nameOf(path: string): string {
  return capital(mtpMountOf(path)?.title ?? 'the file system');
}

export function partial(have: number, size: number): ChildError {
  return new ChildError('EIO', `The device sent ${have} of ${size} bytes.`);
}
