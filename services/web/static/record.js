// The record of a table as hands and tricks: where each begins and ends, who sat where, and what is worth a mark.
import { endsHand, endsTrick } from "./live.js";
import { isBomb, kindOf } from "./words.js";

const PLAYS = new Set(["played", "passed", "cards-played", "throw-failed"]);

/** What is worth a mark in an event: [sign, kind, zh, en], or null. */
export function markOf(event) {
  switch (kindOf(event)) {
    case "played":
      return isBomb(event.data.reading) ? ["★", "bomb", "炸弹", "bomb"] : null;
    case "throw-failed":
      return ["✗", "failed", "甩牌失败", "failed throw"];
    case "finished":
      return ["⚑", "out", "走完", "goes out"];
    case "timed-out":
      return ["!", "late", "超时", "out of time"];
    default:
      return null;
  }
}

/** An index over events that only grows. `hands`: {number, first, last, end, tricks}; `end` is the event that ended it, if any. Each trick:
 * {number, first, last, marks}; trick 0 is what comes before the first card is played. */
export class Record {
  constructor() {
    this.events = [];
    this.hands = [];
    this.players = [[null, null, null, null]]; // who sat where after so many events
    this.ends = [0]; // the latest event up to here that ended a trick, 0 if none in this hand
    this.opened = null;
  }

  get version() {
    return this.events.length;
  }

  at(version) {
    return this.events[version - 1];
  }

  /** Take in the next event. */
  add(event) {
    this.events.push(event);
    this.players.push(seatedAfter(event, this.players.at(-1)));
    const kind = kindOf(event);
    if (kind === "table-opened") this.opened = event;
    if (kind === "hand-started") this.hands.push({ number: event.data.hand, first: event.version, last: event.version, end: null, tricks: [{ number: 0, first: event.version, last: event.version, marks: [] }] });
    this.ends.push(endsTrick(event) ? event.version : kind === "hand-started" ? 0 : this.ends.at(-1));
    const hand = this.hands.at(-1);
    if (hand) this.into(hand, event, kind);
  }

  into(hand, event, kind) {
    hand.last = event.version;
    if (endsHand(event)) hand.end = event;
    if (PLAYS.has(kind) && event.data.trick !== hand.tricks.at(-1).number) hand.tricks.push({ number: event.data.trick, first: event.version, last: event.version, marks: [] });
    const trick = hand.tricks.at(-1);
    if (!hand.end || event === hand.end) trick.last = event.version;
    const mark = markOf(event);
    if (mark) trick.marks.push(mark);
  }

  /** The hand an event belongs to; what comes between two hands belongs to the earlier one. Null before the first. */
  handAt(version) {
    return this.hands.findLast((hand) => hand.first <= version) ?? null;
  }

  /** The trick of a hand that an event belongs to. */
  trickAt(hand, version) {
    return hand.tricks.findLast((trick) => trick.first <= version);
  }

  /** Where tricks begin, over all hands. */
  trickStarts() {
    return this.hands.flatMap((hand) => hand.tricks.map((trick) => trick.first));
  }

  /** Who sat where when an event happened: it names seats as they were just before, but for the event that seats somebody. */
  namesAt(version) {
    const kind = kindOf(this.at(version));
    return this.players[kind === "player-seated" ? version : version - 1];
  }
}

/** Who sits where after an event. */
function seatedAfter(event, players) {
  const { data } = event;
  const after = [...players];
  switch (kindOf(event)) {
    case "player-seated":
      after[data.seat] = data.player;
      break;
    case "player-left":
      after[data.seat] = null;
      break;
    case "seats-swapped":
      return data.players;
    default:
      return players;
  }
  return after;
}
