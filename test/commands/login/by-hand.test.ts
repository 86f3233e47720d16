import { expect, it } from 'vitest';
import { sshForwardCommand, whyNoBrowser } from '../../../src/commands/login/by-hand.ts';

it.each([
  [{ DISPLAY: ':0' }, 'linux', undefined],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', undefined],
  [{}, 'linux', 'no-display'],
  [{ WSL_DISTRO_NAME: 'Debian' }, 'linux', undefined],
  [{ SSH_CONNECTION: '1 2 3 22' }, 'linux', 'ssh'],
  [{ SSH_CONNECTION: '1 2 3 22', DISPLAY: 'localhost:10' }, 'linux', undefined],
  [{ SSH_TTY: '/dev/ttys001' }, 'darwin', 'ssh'],
  [{}, 'darwin', undefined],
  [{}, 'win32', undefined],
  [{ BROWSER: 'w3m' }, 'linux', undefined],
] as const)('with %j on %s, opens no browser because: %s', (env, platform, why) => {
  expect(whyNoBrowser(env, platform)).toBe(why);
});

it.each([
  [
    { SSH_CONNECTION: '10.0.0.9 51000 10.0.0.5 22', USER: 'anna' },
    'http://127.0.0.1:8917/login',
    'ssh -N -L 8917:127.0.0.1:8917 -L 8918:127.0.0.1:8918 anna@10.0.0.5',
    'http://127.0.0.1:8918/api/oauth/authorize?x=1',
  ],
  [
    { SSH_CONNECTION: '10.0.0.9 51000 10.0.0.5 22', USER: 'anna' },
    'http://127.0.0.1:8917/login',
    'ssh -N -L 8917:127.0.0.1:8917 anna@10.0.0.5',
  ],
  [
    { SSH_CONNECTION: 'fe80::1 51000 fe80::2 2222', USER: 'anna' },
    'http://localhost:9000/cb',
    'ssh -N -L 9000:localhost:9000 -p 2222 anna@fe80::2',
  ],
  [{}, 'http://[::1]:8917/login', "ssh -N -L '[::1]:8917:[::1]:8917' USER@box"],
  [
    { SSH_CONNECTION: '1 2 $(reboot) 22', USER: 'ben' },
    'http://127.0.0.1:8917/',
    "ssh -N -L 8917:127.0.0.1:8917 'ben@$(reboot)'",
  ],
  [{ LOGNAME: 'ben' }, 'http://127.0.0.2:8917/', 'ssh -N -L 127.0.0.2:8917:127.0.0.2:8917 ben@box'],
])(
  'with %j and %s, offers the SSH command: %s',
  (env, redirectUri, command, authorize = 'https://training.example.com/') => {
    expect(sshForwardCommand(env, 'box', [redirectUri, authorize])).toBe(command);
  },
);
