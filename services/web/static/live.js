// A table as it goes on: its present view, and what the next views no longer show.
import { ask } from "./api.js";
import { eventWords, kindOf, plain } from "./words.js";
import { follow } from "./stream.js";
import { line } from "./log.js";

const KEPT = 40; // events in the list
const ENDS = new Set(["hand-scored", "hand-abandoned", "hand-voided", "hand-settled", "hand-escaped"]);
const TRICK_ENDS = new Set(["trick-won", "points-taken"]);

/** Who sat where, by names. */
const seated = (view) => view.seats.map((seat) => seat.player);

/** A seat by name, for sentences about an event at which these players sat. */
export const naming = (players) => (seat) => (players[seat] === null ? `座${seat}` : plain(players[seat]));

/** Whether an event ends a hand. */
export const endsHand = (event) => ENDS.has(kindOf(event));

/** Whether an event ends a trick. */
export const endsTrick = (event) => TRICK_ENDS.has(kindOf(event));

/** Who sat where before an event, from who sat there after it. */
export function seatedBefore(event, players) {
  const { data } = event;
  const earlier = [...players];
  const kind = kindOf(event);
  if (kind === "seats-swapped") {
    const [a, b] = data.seats;
    [earlier[a], earlier[b]] = [players[b], players[a]];
  }
  if (kind === "player-seated") earlier[data.seat] = null;
  if (kind === "player-left") earlier[data.seat] = data.player;
  return earlier;
}

/** Follow a table. `changed(live, event)` after each event (null: anew), `state(name, problem)` for the connection. Gives {live, stop}. */
export function watchTable(table, eyes, { changed, state }) {
  const live = { view: null, before: null, result: null, seed: null, events: new Map() };
  let over = false;

  function take({ event, view }) {
    if (event === null) {
      live.events.clear();
      live.before = live.result = live.seed = null;
      live.view = view;
      recall(view);
    } else {
      remember(event, seated(view));
      if (endsTrick(event) && live.view?.hand) {
        live.before = { hand: event.data.hand, trick: event.data.trick, plays: live.view.hand.plays, winner: event.data.seat };
      }
      live.view = view;
    }
    changed(live, event);
  }

  function remember(event, players) {
    live.events.set(event.version, { event, line: line(event, naming(players)), words: eventWords(event, naming(players)) });
    while (live.events.size > KEPT) live.events.delete(Math.min(...live.events.keys()));
    if (endsHand(event)) live.result = latest(live.result, event.data);
    if (kindOf(event) === "seed-revealed") live.seed = latest(live.seed, event.data);
  }

  /** What happened shortly before we came; the stream begins with the present. */
  async function recall(view) {
    const eyesOf = eyes.as ? `&as=${eyes.as}` : "";
    const get = (address) => ask(`/tables/${encodeURIComponent(table)}${address}`, eyes.token);
    try {
      let players = seated(view);
      const found = await get(`/audit?after=${Math.max(0, view.version - KEPT)}&limit=${KEPT}${eyesOf}`);
      for (const event of found.events.filter((each) => each.version <= view.version).reverse()) {
        remember(event, players);
        players = seatedBefore(event, players);
      }
      if (live.result === null && view.hand && !view.hand.result && view.hand.number > 1) {
        const { version, table: _, ...ended } = await get(`/hands/${view.hand.number - 1}/explanation`);
        live.result = latest(live.result, ended);
        const after = await get(`/audit?after=${version}&limit=5`);
        const revealed = after.events.find((event) => kindOf(event) === "seed-revealed");
        if (revealed) live.seed = latest(live.seed, revealed.data);
      }
    } catch {
      // Not there, or the hand was not scored: the page goes on with what comes from now on.
    }
    if (!over) changed(live, null);
  }

  const end = follow(table, eyes, { message: take, state });
  const stop = () => {
    over = true;
    end();
  };
  return { live, stop };
}

const latest = (one, other) => (one !== null && one.hand >= other.hand ? one : other);
