/**
 * The page's script. It fills the list of requests from Server-Sent Events, sends forms without leaving the
 * page, and replaces the parts of the page that changed. Text from outside is only ever set as text: the
 * page's policy (`require-trusted-types-for`) forbids every way to turn text into HTML.
 */

/** Requests in the list. */
const LISTED = 200;
/** Time between two updates of the page (ms). */
const UPDATE_MS = 1000;
/** Time between two announcements to screen readers (ms). */
const ANNOUNCE_MS = 10_000;
/** Time before the stream is opened again after it was refused (ms). */
const RETRY_MS = 5000;
/** Longest text of a body in the page (characters). */
const SHOWN = 100_000;

const loadedAt = new Date().toISOString();
const byId = (id) => document.getElementById(id);

// ---------------------------------------------------------------- Parts of the page

/** The HTML of each part as the server rendered it last. */
const served = new Map(
  [...document.querySelectorAll('[data-part]')].map((part) => [part.id, part.outerHTML]),
);

let updateTimer = null;
let updatedAt = 0;

/** Updates the page soon; many calls cause one update. */
function scheduleUpdate() {
  if (updateTimer !== null) return;
  const wait = Math.max(150, updatedAt + UPDATE_MS - Date.now());
  updateTimer = setTimeout(() => {
    updateTimer = null;
    void update();
  }, wait);
}

/** Reads the page again, and replaces each part that changed. Keeps focus, open details and scrolling. */
async function update() {
  updatedAt = Date.now();
  const fresh = await readDocument(location.pathname + location.search);
  if (fresh === null) return;
  for (const part of document.querySelectorAll('[data-part]')) {
    const next = fresh.getElementById(part.id);
    if (next === null || next.outerHTML === served.get(part.id)) continue;
    served.set(part.id, next.outerHTML);
    replacePart(part, document.adoptNode(next));
  }
  document.title = fresh.title;
}

/** A document that a request decodes runs no script. */
function readDocument(address) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.setRequestHeader('accept', 'text/html');
    request.responseType = 'document';
    request.addEventListener('load', () =>
      resolve(request.status === 200 ? request.response : null),
    );
    request.addEventListener('error', () => resolve(null));
    request.send();
  });
}

function replacePart(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : null;
  const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
  const scrolled = part.querySelector('.list')?.scrollTop ?? 0;
  part.replaceWith(next);
  for (const id of open) byId(id)?.setAttribute('open', '');
  const list = next.querySelector('.list');
  if (list !== null) list.scrollTop = scrolled;
  if (focused === null) return;
  const target = byId(focused) ?? next.closest('section')?.querySelector('h2');
  target?.focus({ preventScroll: true });
}

/** Follows links to another athlete or recording without leaving the page. */
document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-part] a[href^="/?"]');
  if (link === null || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  void update();
});
window.addEventListener('popstate', () => void update());

/** Sends the page's forms. Without this script, the browser sends them. */
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.getAttribute('aria-busy') === 'true') return;
  form.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(new FormData(form)),
    });
    const { message } = await response.json();
    notify(message, response.ok);
    if (response.ok) form.reset();
    await update();
  } catch {
    notify('The sandbox does not answer.', false);
  } finally {
    form.removeAttribute('aria-busy');
  }
});

// ---------------------------------------------------------------- Values below the pointer

/** Shows the values of one time in all charts of the recording. */
document.addEventListener('pointermove', (event) => {
  const over = event.target.closest('.chart .drawing');
  for (const chart of document.querySelectorAll('.chart')) {
    const drawing = chart.querySelector('.drawing');
    const box = (over ?? drawing).getBoundingClientRect();
    const part = over === null ? null : (event.clientX - box.left) / box.width;
    showValue(chart, drawing, part);
  }
});

/** @param part of the time, 0 to 1; null for none */
function showValue(chart, drawing, part) {
  const values = drawing.dataset.values.split(',');
  const index = part === null ? -1 : Math.round(part * (values.length - 1));
  const value = values[index] ?? '';
  const cursor = drawing.querySelector('.cursor');
  const x = (index / (values.length - 1)) * 1000;
  cursor.setAttribute('visibility', value === '' ? 'hidden' : 'visible');
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  chart.querySelector('.readout').textContent =
    value === ''
      ? ''
      : `${value} ${drawing.dataset.unit} at ${clock(part * drawing.dataset.seconds)}`;
}

/** `1:05:00` */
function clock(seconds) {
  const two = (part) => String(Math.floor(part)).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

// ---------------------------------------------------------------- Notices

let noticeTimer = null;

/** Shows the outcome of an action. */
function notify(text, good) {
  const notice = byId('notice');
  notice.textContent = text;
  notice.className = good ? 'good' : 'bad';
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.textContent = ''), 8000);
}

const copy = byId('copy');
copy.hidden = !('clipboard' in navigator);
copy.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(byId('exports').textContent);
    notify('Copied. Paste it into a terminal.', true);
  } catch {
    notify('The browser does not allow copying.', false);
  }
});

// ---------------------------------------------------------------- Requests

const list = byId('request-list');
const template = byId('request-template');
const pause = byId('pause');
/** The requests by ordinal: what is known of each, and its place in the list. */
const shown = new Map();
/** Requests that arrived during a pause, by ordinal. */
const waiting = new Map();
let paused = false;
/** Requests since the last announcement. */
let news = { all: 0, failed: 0 };

function receive(record) {
  if (paused) {
    waiting.set(record.ordinal, record);
    const [oldest] = waiting.keys();
    if (waiting.size > LISTED) waiting.delete(oldest);
    showPause();
    return;
  }
  show(record);
}

function show(record) {
  const known = shown.get(record.ordinal);
  const entry = known ?? addEntry(record.ordinal);
  fill(entry, record);
  byId('no-requests').hidden = true;
}

/** Adds an empty entry: the newest request is first. */
function addEntry(ordinal) {
  const item = template.content.firstElementChild.cloneNode(true);
  const details = item.querySelector('details');
  const entry = { ordinal, item, details, record: null, loaded: null };
  details.addEventListener('toggle', () => void loadExchange(entry));
  const after = [...shown.values()].find((each) => each.ordinal < ordinal);
  list.insertBefore(item, after?.item ?? null);
  const entries = [...shown.values(), entry].sort((a, b) => b.ordinal - a.ordinal);
  shown.clear();
  for (const each of entries.slice(0, LISTED)) shown.set(each.ordinal, each);
  for (const each of entries.slice(LISTED)) each.item.remove();
  return entry;
}

function fill(entry, record) {
  entry.record = record;
  const { item, details } = entry;
  const set = (name, text) => (item.querySelector(`.${name}`).textContent = text);
  const done = record.status !== null || record.durationMs !== null;
  const failed = record.status === null || record.status >= 400;
  set('status', record.status ?? (done ? 'none' : '…'));
  item.querySelector('.status').title = record.status === null ? 'No answer was sent yet' : '';
  item.className = record.status === null ? 'open' : failed ? 'failed' : 'fine';
  set('method', record.method);
  set('path', record.path);
  set('when', time(record.receivedAt));
  const notes = [
    record.athlete,
    record.durationMs === null ? null : `${record.durationMs.toFixed(0)} ms`,
    record.size === 0 ? null : bytes(record.size),
    ...record.faults.map((spec) => `fault ${spec}`),
  ];
  set('notes', notes.filter((note) => note !== null).join(' · '));
  if (details.open) void loadExchange(entry);
}

function time(instant) {
  return new Date(instant).toLocaleTimeString('en-GB');
}

function bytes(size) {
  return size < 1024 ? `${size} bytes` : `${Math.ceil(size / 1024).toLocaleString('en')} KiB`;
}

/** Loads headers, body and answer when an entry is opened, and again when its answer was sent. */
async function loadExchange(entry) {
  const { details, record, ordinal } = entry;
  const state = String(record.status);
  if (!details.open || entry.loaded === state) return;
  entry.loaded = state;
  const place = details.querySelector('.exchange');
  try {
    const response = await fetch(`/_sandbox/requests/${ordinal}`);
    const exchange = await response.json();
    place.replaceChildren(
      ...(response.ok ? exchangeParts(exchange) : [element('p', exchange.message, 'empty')]),
    );
  } catch {
    entry.loaded = null;
    place.replaceChildren(element('p', 'The sandbox does not answer.', 'empty'));
  }
}

function exchangeParts({ method, path, query, headers, body, parts, answer, status, ordinal }) {
  const address = new URLSearchParams(query).toString();
  return [
    element('h3', 'Request'),
    element('p', `${method} ${path}${address === '' ? '' : `?${address}`}`, 'target outside'),
    headerList(headers),
    ...(parts ?? []).flatMap(partOf),
    ...bodyOf(body, ordinal),
    element('h3', 'Answer'),
    ...(answer === null
      ? [element('p', status === null ? 'None was sent.' : `${status}, broken off by a fault.`)]
      : [
          element('p', String(answer.status)),
          headerList(answer.headers),
          ...bodyOf(answer.body, ordinal),
        ]),
  ];
}

function headerList(headers) {
  const names = element('dl', '', 'headers');
  for (const [name, value] of Object.entries(headers)) {
    names.append(element('dt', name, 'outside'), element('dd', value, 'outside'));
  }
  return names;
}

function partOf({ name, fileName, contentType, size, sha256, text }) {
  const facts = [fileName, contentType, bytes(size), `SHA-256 ${sha256}`].filter(
    (fact) => fact !== null,
  );
  return [
    element('p', `Part ${name}: ${facts.join(', ')}`, 'outside'),
    ...(text === undefined ? [] : [bodyText(text)]),
  ];
}

function bodyOf(body, ordinal) {
  if (body === undefined) return [];
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  if (text.length <= SHOWN) return [bodyText(text)];
  const link = element('a', 'The whole body');
  link.href = `/_sandbox/requests/${ordinal}`;
  return [bodyText(`${text.slice(0, SHOWN)} …`), link];
}

/** A body, which the keyboard can scroll. */
function bodyText(text) {
  const block = element('pre', text, 'outside');
  block.tabIndex = 0;
  return block;
}

function element(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

pause.hidden = false;
pause.addEventListener('click', () => {
  paused = !paused;
  if (!paused) {
    for (const record of waiting.values()) show(record);
    waiting.clear();
  }
  showPause();
  showLive();
});

function showPause() {
  pause.setAttribute('aria-pressed', String(paused));
  const count = waiting.size === 0 ? '' : ` (${waiting.size} new)`;
  pause.textContent = paused ? `Paused${count}` : 'Pause';
}

setInterval(() => {
  if (news.all === 0 || paused) return;
  const failed = news.failed === 0 ? '' : `, ${news.failed} failed`;
  byId('announcer').textContent =
    `${news.all} new ${news.all === 1 ? 'request' : 'requests'}${failed}`;
  news = { all: 0, failed: 0 };
}, ANNOUNCE_MS);

// ---------------------------------------------------------------- The stream

let stream = null;
let run = null;
let connected = false;

function connect() {
  if (stream !== null || document.hidden) return;
  stream = new EventSource('/_sandbox/page/events');
  stream.addEventListener('hello', ({ data }) => {
    const hello = JSON.parse(data);
    // The sandbox was started again: it knows neither this page's token nor its requests.
    if (run !== null && run !== hello.run) location.reload();
    run = hello.run;
    connected = true;
    byId('no-requests').hidden = shown.size > 0;
    showLive();
  });
  stream.addEventListener('request', ({ data }) => {
    const record = JSON.parse(data);
    receive(record);
    if (record.receivedAt < loadedAt || record.durationMs === null) return;
    news.all += 1;
    if (record.status === null || record.status >= 400) news.failed += 1;
    scheduleUpdate();
  });
  stream.addEventListener('change', scheduleUpdate);
  stream.addEventListener('gap', () =>
    notify('The list skipped some requests. The request log has all of them.', true),
  );
  stream.addEventListener('error', () => {
    connected = false;
    showLive();
    if (stream?.readyState !== EventSource.CLOSED) return;
    stream = null;
    setTimeout(connect, RETRY_MS);
  });
}

function showLive() {
  const live = byId('live');
  live.textContent = paused ? 'paused' : connected ? 'live' : 'not connected';
  live.className = `badge ${paused ? 'warn' : connected ? 'good' : 'bad'}`;
}

function disconnect() {
  stream?.close();
  stream = null;
}

// A browser opens few connections to one host: a page that is not seen gives its connection back.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return disconnect();
  connect();
  scheduleUpdate();
});
window.addEventListener('pagehide', disconnect);
window.addEventListener('pageshow', connect);
connect();
