// Follows one table. The stream is read with fetch, because only that can carry a token; a broken connection is opened again where it broke.
import { bearing } from "./api.js";

const SILENCE = 40_000; // ms without a sign of life after which the connection counts as broken; the service sends one every 15 s
const LONGEST = 15_000; // ms between two attempts at most

/** Follow a table. `on.message({event, view})` per event (no event: a snapshot), `on.state(name, problem)`: live, reconnecting, closed,
 * missing, refused, fault. `token` and `as` say whose eyes to look with. Gives a function that ends it. */
export function follow(table, { token = null, as = null } = {}, on) {
  const address = `/tables/${encodeURIComponent(table)}`;
  let last = null;
  let delay = 500;
  let timer = null;
  let quiet = null;
  let reading = null;
  let over = false;

  function finish(state, problem = null) {
    over = true;
    stop();
    if (state) on.state(state, problem);
  }

  function stop() {
    clearTimeout(timer);
    clearTimeout(quiet);
    reading?.abort();
    reading = null;
  }

  function later(state = "reconnecting", wait = delay) {
    if (over) return;
    stop();
    on.state(state);
    timer = setTimeout(open, wait);
    delay = Math.min(delay * 2, LONGEST);
  }

  function heard() {
    clearTimeout(quiet);
    quiet = setTimeout(later, SILENCE, "reconnecting", 0);
  }

  function take(kind, text) {
    if (kind === "fault") return later("fault", LONGEST);
    if (kind === "too-slow") return later("reconnecting", 0);
    const { event = null, view } = JSON.parse(text);
    if (event !== null && last !== null && view.version <= last) return null;
    last = view.version;
    on.message({ event, view });
    if (view.closed) finish("closed");
    else on.state("live");
    return null;
  }

  /** Nothing new at a table that is closed (204), or a version that it does not have: its record was put back. Begin anew. */
  function anew() {
    if (last === null) return finish("closed");
    last = null;
    return later("reconnecting", 0);
  }

  async function open() {
    stop();
    const mine = (reading = new AbortController());
    heard();
    const query = new URLSearchParams();
    if (last !== null) query.set("after", last);
    if (as !== null) query.set("as", as);
    try {
      const answer = await fetch(`${address}/events?${query}`, { headers: { ...bearing(token), Accept: "text/event-stream" }, signal: mine.signal, cache: "no-store" });
      if (answer.status === 404) return finish("missing");
      if (answer.status === 401 || answer.status === 403) return finish("refused", await answer.json());
      if (answer.status === 204) return finish("closed");
      if (answer.status === 409) return anew();
      if (!answer.ok) return later();
      delay = 500;
      setOffset(answer.headers.get("date"));
      if (last !== null) on.state("live");
      await read(answer.body, mine);
      if (reading === mine) later("reconnecting", delay);
    } catch {
      if (reading === mine) later();
    }
    return null;
  }

  /** Server-sent events as they come, line by line. */
  async function read(body, mine) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, kind, data] = ["", "message", []];
    for (;;) {
      const { done, value } = await reader.read();
      if (done || reading !== mine) return;
      heard();
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (data.length) take(kind, data.join("\n"));
          [kind, data] = ["message", []];
          if (reading !== mine) return;
        } else if (line.startsWith("event: ")) kind = line.slice(7);
        else if (line.startsWith("data: ")) data.push(line.slice(6));
      }
    }
  }

  const lost = () => over || on.state("reconnecting");
  const back = () => over || later("reconnecting", 0);
  const shown = (page) => page.persisted && back(); // the page comes out of a drawer
  addEventListener("offline", lost);
  addEventListener("online", back);
  addEventListener("pageshow", shown);
  open();
  return () => {
    removeEventListener("offline", lost);
    removeEventListener("online", back);
    removeEventListener("pageshow", shown);
    finish(null);
  };
}

let offset = 0; // ms that the service's clock is ahead of ours, to the second

function setOffset(date) {
  const there = Date.parse(date ?? "");
  if (!Number.isNaN(there)) offset = Math.abs(there - Date.now()) < 1500 ? 0 : there - Date.now();
}

/** The time at the service, in ms since 1970. */
export const serviceTime = () => Date.now() + offset;
