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

/** The changes that the page shows; null before the first question. */
let known = null;

/** Reads the page again, and replaces each part that changed. */
async function update() {
  const fresh = await readDocument(location.pathname + location.search);
  for (const [id, html] of served) {
    const next = fresh.getElementById(id);
    if (next === null || next.outerHTML === html) continue;
    served.set(id, next.outerHTML);
    replacePart(byId(id), document.adoptNode(next));
  }
  document.title = fresh.title;
}

/** A document that a request decodes runs no script. */
function readDocument(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.setRequestHeader('accept', 'text/html');
    request.responseType = 'document';
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject());
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
  const { add, remove } = target.closest('button')?.dataset ?? {};
  if (add !== undefined) void addFault(add);
  if (remove === undefined) return;
  void control('DELETE', `?spec=${encodeURIComponent(remove)}`, `Removed the fault ${remove}.`);
});

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (await addFault(byId('fault-spec').value)) event.target.reset();
});

function addFault(spec) {
  return control('POST', '', `Added the fault ${spec.trim()}.`, { faults: [spec] });
}

/** Calls the control endpoint of faults, and says what came of it. */
async function control(method, query, done, body) {
  try {
    const response = await fetch(`/_sandbox/faults${query}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    notify(response.ok ? done : (await response.json()).message, response.ok);
    return response.ok;
  } catch {
    notify('The sandbox does not answer.', false);
    return false;
  }
}

/** Shows the outcome of an action. */
function notify(text, good) {
  byId('notice').textContent = text;
  byId('notice').className = good ? 'good' : 'bad';
  setTimeout(() => (byId('notice').textContent = ''), 8000);
}

/** Updates the page if something changed. A page in the background does not ask. */
async function poll() {
  if (!document.hidden) {
    let isLive = true;
    try {
      const changes = await (await fetch('/_sandbox/page/changes')).text();
      if (changes !== known) await update();
      known = changes;
    } catch {
      known = null;
      isLive = false;
    }
    byId('live').textContent = isLive ? 'live' : 'not connected';
    byId('live').className = `badge ${isLive ? 'good' : 'bad'}`;
  }
  setTimeout(poll, POLL_MS);
}

void poll();
