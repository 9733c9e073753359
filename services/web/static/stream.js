// Follows one table. The browser reconnects by itself after a broken connection; what it gives up on is opened again here.
import { KINDS } from "./words.js";

const SILENCE = 40_000; // ms without an event after which we ask whether the connection is alive
const LONGEST = 15_000; // ms between two attempts at most

/** Follow a table. `on.message({event, view})` per event (no event: a snapshot), `on.state(name)`: live, reconnecting, closed, missing, fault. */
export function follow(table, on) {
  const address = `/tables/${encodeURIComponent(table)}`;
  let source = null;
  let last = null;
  let heard = Date.now();
  let delay = 1000;
  let timer = null;
  let over = false;

  function take(message) {
    const { event = null, view } = JSON.parse(message.data);
    heard = Date.now();
    if (event !== null && last !== null && view.version <= last) return;
    last = view.version;
    on.message({ event, view });
    if (view.closed) finish("closed");
    else on.state("live");
  }

  function finish(state) {
    over = true;
    clearTimeout(timer);
    source?.close();
    on.state(state);
  }

  function later(state = "reconnecting", wait = delay) {
    source?.close();
    on.state(state);
    clearTimeout(timer);
    timer = setTimeout(look, wait);
    delay = Math.min(delay * 2, LONGEST);
  }

  /** The stream was refused or silent; the table itself says why. */
  async function look() {
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) });
      if (answer.status === 404) return finish("missing");
      if (!answer.ok) return later();
      if (last !== null && (await answer.json()).version < last) last = null; // the record was put back: begin anew
      open();
    } catch {
      later();
    }
  }

  function open() {
    source?.close();
    heard = Date.now();
    source = new EventSource(`${address}/events${last === null ? "" : `?after=${last}`}`);
    source.onopen = () => {
      delay = 1000;
      heard = Date.now();
      if (!over) on.state("live");
    };
    source.onerror = () => {
      if (over) return;
      if (source.readyState === EventSource.CLOSED) later();
      else on.state("reconnecting");
    };
    for (const kind of ["snapshot", ...KINDS]) source.addEventListener(kind, take);
    source.addEventListener("fault", () => later("fault", LONGEST));
  }

  async function check() {
    if (over || source?.readyState !== EventSource.OPEN || Date.now() - heard < SILENCE) return;
    heard = Date.now();
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) });
      if (!answer.ok || (await answer.json()).version !== last) later("reconnecting", 0);
    } catch {
      later();
    }
  }

  setInterval(check, 5000);
  addEventListener("offline", () => over || on.state("reconnecting"));
  addEventListener("pageshow", (shown) => shown.persisted && !over && later("reconnecting", 0)); // the page comes out of a drawer
  addEventListener("online", () => over || later("reconnecting", 0));
  open();
}
