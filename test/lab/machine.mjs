// The virtual machine: QEMU without acceleration, its control socket, and ssh.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY } from './image.mjs';
import { withParent } from './platform.mjs';

/** How long a condition may stay false before the scenario fails (ms): the machine is slow, its host busy. */
const NEVER_MS = 300_000;

/** Resolves when the condition returns something true, and returns that. A failure counts as false. */
export async function until(what, condition, limitMs = NEVER_MS) {
  const end = Date.now() + limitMs;
  let last = '';
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      last = `: ${error.message}`;
    }
    if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s until ${what}${last}`);
    await sleep(1000);
  }
}

/**
 * Starts the machine.
 *
 * @param image the folder of the kernel
 * @param disk a qcow2 file
 * @param snapshot the state to continue from; without it, the machine boots
 * @param clock time of the machine's clock at boot, as QEMU's `-rtc base=`
 */
export async function startMachine({ image, disk, scratch, snapshot, clock = 'utc' }) {
  const port = await freePort();
  const socket = join(scratch, 'qmp.sock');
  rmSync(socket, { force: true });
  const net = (name, mac, options) => [
    ...['-netdev', `user,id=${name},${options}`],
    ...['-device', `virtio-net-pci,netdev=${name},id=${name}-card,mac=52:54:00:00:00:0${mac}`],
  ];
  const args = [
    ...[
      '-accel',
      'tcg,thread=multi',
      '-cpu',
      'max',
      '-m',
      '1536',
      '-smp',
      '2',
      '-rtc',
      `base=${clock}`,
    ],
    ...['-kernel', join(image, 'vmlinuz'), '-initrd', join(image, 'initrd.img')],
    ...['-append', 'root=/dev/vda rw console=ttyS0 quiet mitigations=off'],
    ...['-drive', `file=${disk},if=virtio,format=qcow2,cache=unsafe`, '-device', 'virtio-rng-pci'],
    ...['-nodefaults', '-display', 'none', '-serial', `file:${join(scratch, 'console.log')}`],
    ...['-qmp', `unix:${socket},server=on,wait=off`],
    ...net('ssh', 1, `net=10.0.9.0/24,restrict=on,hostfwd=tcp:127.0.0.1:${port}-10.0.9.15:22`),
    ...net('world', 2, 'net=10.0.2.0/24'),
    ...['-device', 'qemu-xhci,id=xhci', ...(snapshot === undefined ? [] : ['-loadvm', snapshot])],
  ];
  const child = spawn(...withParent('qemu-system-x86_64', args), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (text) => (complaint += text));
  const ended = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const qmp = await connect(socket, () => {
    if (isOver()) throw new Error(`QEMU ended: ${complaint}`);
  });

  const as = (user) => async (command, input) => await ssh(port, user, command, input);
  const machine = {
    qmp,
    as,
    root: as('root'),
    ada: as('ada'),
    /** Logs in with a password, which unlocks the keyring. */
    withPassword: (user) => async (command) =>
      await ssh(port, user, command, { askpass: askpass(scratch, user) }),
    /** Copies files of the host to a folder of ada's. */
    put: async (files, folder, user = 'ada') => {
      await as(user)(`mkdir -p '${folder}' && tar -xC '${folder}'`, { tar: files });
    },
    isUp: async () => await until('ssh answers', async () => await machine.root('echo up')),
    reboot: async () => {
      const before = await machine.root('cat /proc/sys/kernel/random/boot_id');
      await machine.root('systemctl reboot').catch(() => undefined);
      await until(
        'the machine has rebooted',
        async () => (await machine.root('cat /proc/sys/kernel/random/boot_id')) !== before,
      );
    },
    /** Ends at once, as without power. */
    stop: async () => {
      if (!isOver()) qmp('quit').catch(() => child.kill('SIGKILL'));
      await ended;
    },
    /** Lets a link of the network come and go. */
    link: async (up) => await qmp('set_link', { name: 'world-card', up }),
  };
  return machine;
}

async function ssh(port, user, command, input) {
  const options = [
    ...[
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'BatchMode=yes',
    ],
    ...['ConnectTimeout=30', 'ServerAliveInterval=20', 'ServerAliveCountMax=6'],
  ].flatMap((option) => ['-o', option]);
  const how =
    input?.askpass === undefined
      ? ['-i', KEY]
      : ['-o', 'PreferredAuthentications=password', '-o', 'BatchMode=no'];
  const env = { ...process.env, SSH_ASKPASS: input?.askpass, SSH_ASKPASS_REQUIRE: 'force' };
  // The first value of an option counts.
  const args = [...how, '-p', String(port), ...options, `${user}@127.0.0.1`, command];
  return await new Promise((done, fail) => {
    const child = execFile('ssh', args, { maxBuffer: 2 ** 26, env }, (error, stdout, stderr) => {
      if (error === null) done(stdout.trim());
      else
        fail(
          Object.assign(new Error(`${user}: ${command}\n${stdout}${stderr}`.trim()), {
            code: error.code,
          }),
        );
    });
    if (input?.tar === undefined) child.stdin.end();
    else packed(input.tar).stdout.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
  });
}

/** Writes a program that answers ssh's question for a password. */
function askpass(scratch, user) {
  const file = join(scratch, `password-of-${user}`);
  writeFileSync(file, `#!/bin/sh\necho password-of-${user}\n`, { mode: 0o700 });
  return file;
}

/** A tar stream of files of several folders, without their folders. */
function packed(files) {
  const names = files.flatMap((file) => [
    '-C',
    file.slice(0, file.lastIndexOf('/')),
    file.slice(file.lastIndexOf('/') + 1),
  ]);
  return spawn('tar', ['-c', '--owner=0', '--group=0', ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Connects to QEMU's control socket. @returns a function that runs a command of QMP */
async function connect(path, check) {
  const connection = await until(
    'QEMU listens',
    async () => {
      check();
      const attempt = createConnection(path);
      await once(attempt, 'connect');
      return attempt;
    },
    60_000,
  );
  const waiting = [];
  const fail = () => waiting.splice(0).forEach(({ reject }) => reject(new Error('QEMU ended.')));
  connection.on('close', fail).on('error', fail);
  const lines = createInterface({ input: connection }).on('error', fail);
  lines.on('line', (line) => {
    const { return: value, error } = JSON.parse(line);
    if (error !== undefined) waiting.shift()?.reject(new Error(`QMP: ${error.desc}`));
    else if (value !== undefined) waiting.shift()?.resolve(value);
  });
  const qmp = async (execute, args) =>
    await new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      connection.write(`${JSON.stringify({ execute, ...(args && { arguments: args }) })}\n`);
    });
  await qmp('qmp_capabilities');
  return qmp;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
