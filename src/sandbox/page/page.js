/**
 * The page's script. It asks for changes, replaces the parts of the page that changed, and adds and removes
 * faults by the control endpoints. Text from outside is only ever set as text: the page's policy
 * (`require-trusted-types-for`) forbids every way to turn text into HTML.
 */

/** Time between two questions for changes (ms). */
const POLL_MS = 500;

const byId = (id) => document.getElementById(id);

/** The HTML of each part as the server rendered it last. */
const served = new Map();
for (const part of document.querySelectorAll('[data-part]')) served.set(part.id, part.outerHTML);

/** Identifies what the page shows; null before the first question. */
let known = null;

/** Reads the page again, and replaces each part that changed. */
async function update() {
  const fresh = await readDocument();
  if (fresh === null) return;
  for (const [id, html] of served) {
    const next = fresh.getElementById(id);
    if (next === null || next.outerHTML === html) continue;
    served.set(id, next.outerHTML);
    replacePart(byId(id), document.adoptNode(next));
  }
  document.title = fresh.title;
}

/** Returns the page, which runs no script; null if nothing changed. */
function readDocument() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname + location.search);
    request.setRequestHeader('accept', 'text/html');
    if (known !== null) request.setRequestHeader('if-none-match', known);
    request.responseType = 'document';
    request.onload = () => {
      known = request.getResponseHeader('etag');
      resolve(request.status === 200 ? request.response : null);
    };
    request.onerror = reject;
    request.send();
  });
}

/** Keeps the focus, open parts, and the scroll of lists. */
function replacePart(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : null;
  const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
  const lists = (within) => [...within.querySelectorAll('.scroll')];
  const scrolled = lists(part).map(({ scrollTop }) => scrollTop);
  part.replaceWith(next);
  for (const id of open) byId(id)?.setAttribute('open', '');
  for (const [index, list] of lists(next).entries()) list.scrollTop = scrolled[index] ?? 0;
  if (focused === null) return;
  const target = byId(focused) ?? next.closest('section')?.querySelector('h2');
  target?.focus({ preventScroll: true });
}

document.addEventListener('click', ({ target }) => {
  if (target.role !== 'switch') return;
  const spec = target.textContent.trim();
  if (target.ariaChecked === 'false') void addFault(spec);
  else void control('DELETE', `?spec=${encodeURIComponent(spec)}`, `Removed the fault ${spec}.`);
});

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (await addFault(byId('fault-spec').value.trim())) event.target.reset();
});

function addFault(spec) {
  return control('POST', '', `Added the fault ${spec}.`, { faults: [spec] });
}

/** Calls the control endpoint of faults, and says what came of it. */
async function control(method, query, done, body) {
  const response = await fetch(`/_sandbox/faults${query}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null);
  const isDone = response?.ok === true;
  const problem = isDone ? null : (await response?.json())?.message;
  byId('notice').textContent = isDone ? done : (problem ?? 'The sandbox does not answer.');
  byId('notice').className = isDone ? 'good' : 'bad';
  return isDone;
}

/** Updates the page. A page in the background does not ask. */
async function poll() {
  if (!document.hidden) {
    let isLive = true;
    await update().catch(() => (isLive = false));
    byId('live').textContent = isLive ? 'live' : 'not connected';
    byId('live').className = `badge ${isLive ? 'good' : 'bad'}`;
  }
  setTimeout(poll, POLL_MS);
}

void poll();
