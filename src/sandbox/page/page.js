/**
 * The page's script. It asks for changes, replaces the parts of the page that changed, and sends forms
 * without leaving the page. Text from outside is only ever set as text: the page's policy
 * (`require-trusted-types-for`) forbids every way to turn text into HTML.
 */

/** Time between two questions for changes (ms). */
const POLL_MS = 500;

const byId = (id) => document.getElementById(id);
const parts = () => [...document.querySelectorAll('[data-part]')];

/** The HTML of each part as the server rendered it last. */
const served = new Map(parts().map((part) => [part.id, part.outerHTML]));

/**
 * Reads the page again, and replaces each part that changed. Returns false if the sandbox does not answer.
 */
async function update() {
  const fresh = await readDocument(location.pathname + location.search);
  if (fresh === null) return false;
  // The sandbox was started again.
  if (tokenIn(fresh) !== tokenIn(document)) location.reload();
  for (const part of parts()) {
    const next = fresh.getElementById(part.id);
    if (next === null || next.outerHTML === served.get(part.id)) continue;
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
    request.onload = () => resolve(request.status === 200 ? request.response : null);
    request.onerror = () => resolve(null);
    request.send();
  });
}

/** Keeps the focus, open parts, and the scroll of lists. */
function replacePart(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : null;
  const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
  const lists = (within) => [...within.querySelectorAll('.list, .requests, pre')];
  const scrolled = lists(part).map(({ scrollTop }) => scrollTop);
  part.replaceWith(next);
  for (const id of open) byId(id)?.setAttribute('open', '');
  for (const [index, list] of lists(next).entries()) list.scrollTop = scrolled[index] ?? 0;
  showLive();
  if (focused === null) return;
  const target = byId(focused) ?? next.closest('section')?.querySelector('h2');
  target?.focus({ preventScroll: true });
}

/** Follows links to another athlete, recording or request without leaving the page. */
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

let noticeTimer = null;

/** Shows the outcome of an action. */
function notify(text, good) {
  const notice = byId('notice');
  notice.textContent = text;
  notice.className = good ? 'good' : 'bad';
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.textContent = ''), 8000);
}

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
  byId('live').textContent = connected ? 'live' : 'not connected';
  byId('live').className = `badge ${connected ? 'good' : 'bad'}`;
}

void poll();
