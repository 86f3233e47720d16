/**
 * The page's script. It asks for changes, replaces the parts of the page that changed, and sends forms
 * without leaving the page. Text from outside is only ever set as text: the page's policy
 * (`require-trusted-types-for`) forbids every way to turn text into HTML.
 */

/** Time between two questions for changes (ms). */
const POLL_MS = 500;
/** Time between two announcements to screen readers (ms). */
const ANNOUNCE_MS = 10_000;

const byId = (id) => document.getElementById(id);

// ---------------------------------------------------------------- Parts of the page

/** The HTML of each part as the server rendered it last. */
const served = new Map(
  [...document.querySelectorAll('[data-part]')].map((part) => [part.id, part.outerHTML]),
);

/**
 * Reads the page again, and replaces each part that changed. Keeps focus, open details and scrolling.
 * Returns false if the sandbox does not answer.
 */
async function update() {
  const fresh = await readDocument(location.pathname + location.search);
  if (fresh === null) return false;
  // The sandbox was started again.
  if (tokenIn(fresh) !== tokenIn(document)) location.reload();
  for (const part of document.querySelectorAll('[data-part]')) {
    const next = fresh.getElementById(part.id);
    if (next === null || next.outerHTML === served.get(part.id)) continue;
    if (paused && part.id === 'request-list') {
      byId('pause').textContent = `Paused (${next.dataset.count - part.dataset.count} new)`;
      continue;
    }
    served.set(part.id, next.outerHTML);
    replacePart(part, document.adoptNode(next));
  }
  document.title = fresh.title;
  return true;
}

/** Returns the token in the forms of a page, which differs each time the sandbox starts. */
function tokenIn(page) {
  return page.querySelector('input[name=token]')?.value;
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
  const lists = (within) => [within, ...within.querySelectorAll('.list, pre')];
  const scrolled = lists(part).map(({ scrollTop }) => scrollTop);
  part.replaceWith(next);
  for (const id of open) byId(id)?.setAttribute('open', '');
  for (const [index, list] of lists(next).entries()) list.scrollTop = scrolled[index] ?? 0;
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

/** Shows the values of one time in all charts of the recording, or of one day in all trends. */
document.addEventListener('pointermove', (event) => {
  const over = event.target.closest('.chart .drawing');
  const group = over?.closest('.series, .trends');
  for (const chart of document.querySelectorAll('.chart')) {
    const box = over?.getBoundingClientRect();
    const isShown = group?.contains(chart) ?? false;
    showValue(chart, isShown ? (event.clientX - box.left) / box.width : null);
  }
});

/** @param part of the width, 0 to 1; null for none */
function showValue(chart, part) {
  const drawing = chart.querySelector('.drawing');
  const { values, unit, seconds, days } = drawing.dataset;
  const numbers = values.split(',');
  const last = numbers.length - 1;
  const index = part === null ? -1 : Math.min(last, Math.max(0, Math.round(part * last)));
  const value = numbers[index] ?? '';
  const cursor = drawing.querySelector('.cursor');
  const x = last === 0 ? 500 : (index / last) * 1000;
  cursor.setAttribute('visibility', value === '' ? 'hidden' : 'visible');
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  const at = days === '' ? `at ${clock(part * seconds)}` : `on ${days.split(',')[index]}`;
  chart.querySelector('.readout').textContent = value === '' ? '' : `${value} ${unit} ${at}`;
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

const pause = byId('pause');
let paused = false;
let announced = Number(byId('request-list').dataset.count);

pause.hidden = false;
pause.addEventListener('click', () => {
  paused = !paused;
  pause.setAttribute('aria-pressed', String(paused));
  pause.textContent = paused ? 'Paused' : 'Pause';
  showLive();
  void update();
});

setInterval(() => {
  const count = Number(byId('request-list').dataset.count);
  const news = count - announced;
  announced = count;
  if (news > 0)
    byId('announcer').textContent = `${news} new ${news === 1 ? 'request' : 'requests'}`;
}, ANNOUNCE_MS);

// ---------------------------------------------------------------- Changes

let known = null;
let connected = false;

/** Updates the page if something changed. A page in the background does not ask. */
async function poll() {
  if (!document.hidden) {
    const changes = await readChanges();
    connected = changes !== null;
    showLive();
    if (connected && changes !== known && (await update())) known = changes;
  }
  setTimeout(poll, POLL_MS);
}

/** Returns a number that is another one after each change; null if the sandbox does not answer. */
async function readChanges() {
  try {
    const response = await fetch('/_sandbox/page/changes');
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function showLive() {
  const live = byId('live');
  live.textContent = paused ? 'paused' : connected ? 'live' : 'not connected';
  live.className = `badge ${paused ? 'warn' : connected ? 'good' : 'bad'}`;
}

void poll();
