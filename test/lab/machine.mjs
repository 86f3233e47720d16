// The virtual machine: QEMU without acceleration, its control socket, and ssh.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY, words } from './image.mjs';
import { withParent } from './platform.mjs';

/** How long a condition may stay false before the scenario fails (ms): the machine is slow, its host busy. */
const NEVER_MS = 600_000;

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
    ...words`-accel tcg,thread=multi -cpu max -m 1536 -smp 1 -nodefaults -display none`,
    ...words`-device virtio-rng-pci -device qemu-xhci,id=xhci -rtc base=${clock}`,
    ...['-kernel', join(image, 'vmlinuz'), '-initrd', join(image, 'initrd.img')],
    ...['-append', 'root=/dev/vda rw console=ttyS0 quiet mitigations=off cryptomgr.notests'],
    ...['-drive', `file=${disk},if=virtio,format=qcow2,cache=unsafe`],
    ...['-serial', `file:${join(scratch, 'console.log')}`],
    ...['-qmp', `unix:${socket},server=on,wait=off`],
    ...net('ssh', 1, `net=10.0.9.0/24,restrict=on,hostfwd=tcp:127.0.0.1:${port}-10.0.9.15:22`),
    ...net('world', 2, 'net=10.0.2.0/24'),
    ...(snapshot === undefined ? [] : ['-loadvm', snapshot]),
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

  const as = (user) => async (command, options) => await ssh(port, user, command, options);
  const root = as('root');
  const boots = async () => await root('cat /proc/sys/kernel/random/boot_id');
  return {
    qmp,
    as,
    root,
    ada: as('ada'),
    /** Logs in with a password, which unlocks the keyring. */
    withPassword: (user) => async (command) =>
      await ssh(port, user, command, { askpass: askpass(scratch, user) }),
    /** Copies files of the host to a folder of ada's. */
    put: async (files, folder, user = 'ada') =>
      await as(user)(`mkdir -p '${folder}' && tar -xC '${folder}'`, { tar: files }),
    isUp: async () => await until('ssh answers', async () => await root('echo up')),
    setClock: async () => await root(`date -s @${Math.round(Date.now() / 1000)}`),
    reboot: async () => {
      const before = await boots();
      await root('systemctl reboot').catch(() => undefined);
      await until('the machine has rebooted', async () => (await boots()) !== before);
    },
    /** Ends at once, as without power. */
    stop: async () => {
      if (!isOver()) qmp('quit').catch(() => child.kill('SIGKILL'));
      await ended;
    },
    /** Lets a link of the network come and go. */
    link: async (up) => await qmp('set_link', { name: 'world-card', up }),
  };
}

/** Runs a command over ssh. @param tar files for its standard input @param askpass types a password */
async function ssh(port, user, command, { tar, askpass } = {}) {
  const args = [
    ...(askpass === undefined
      ? ['-i', KEY, ...words`-o BatchMode=yes`]
      : words`-o PreferredAuthentications=password`),
    ...words`-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`,
    ...words`-o ConnectTimeout=30 -o ServerAliveInterval=20 -o ServerAliveCountMax=6`,
    ...['-p', String(port), `${user}@127.0.0.1`, command],
  ];
  const env = { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' };
  return await new Promise((done, fail) => {
    const child = execFile('ssh', args, { maxBuffer: 2 ** 26, env }, (error, stdout, stderr) => {
      if (error === null) return done(stdout.trim());
      const failure = new Error(`${user}: ${command}\n${stdout}${stderr}`.trim());
      fail(Object.assign(failure, { code: error.code }));
    });
    if (tar === undefined) child.stdin.end();
    else packed(tar).stdout.pipe(child.stdin);
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
  const names = files.flatMap((file) => ['-C', dirname(file), basename(file)]);
  return spawn('tar', ['-c', '--owner=0', '--group=0', ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Connects to QEMU's control socket. @returns a function that runs a command of QMP */
async function connect(path, check) {
  const connection = await until('QEMU listens', async () => {
    check();
    const attempt = createConnection(path);
    await once(attempt, 'connect');
    return attempt;
  });
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
