// Cards as cards: rank and suit, jokers, wildcards with what they stood for.
import { el } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
// Drawn, because telephones show the suit characters as little pictures in colours of their own.
const SHAPE = {
  S: "M12 2c3 4.200 9 6.500 9 11.500 0 3-2.200 4.700-4.500 4.700-1.400 0-2.600-.600-3.300-1.600.200 2.200 1 4 2.600 5.400H8.200c1.600-1.400 2.400-3.200 2.600-5.400-.700 1-1.900 1.600-3.300 1.600C5.200 18.200 3 16.500 3 13.500 3 8.500 9 6.200 12 2z",
  H: "M12 21.500C7 17 2.500 13 2.500 8.500 2.500 5.300 4.900 3 7.700 3 9.600 3 11.200 4 12 5.700 12.800 4 14.400 3 16.300 3c2.800 0 5.200 2.300 5.200 5.500 0 4.500-4.500 8.500-9.500 13z",
  C: "M12 2a4.600 4.600 0 0 1 3.900 7 4.600 4.600 0 1 1-2.700 7.200c.200 2.200 1 4.200 2.600 5.800H8.200c1.600-1.600 2.400-3.600 2.600-5.800A4.600 4.600 0 1 1 8.100 9 4.600 4.600 0 0 1 12 2z",
  D: "M12 1.500c2 3.700 4.600 7.200 7.800 10.500-3.200 3.300-5.800 6.800-7.800 10.500-2-3.700-4.600-7.200-7.800-10.500C7.400 8.700 10 5.200 12 1.500z",
  joker: "M12 2l2.700 6.300 6.800.600-5.200 4.500 1.600 6.700L12 16.500l-5.900 3.600 1.600-6.700L2.500 8.900l6.800-.600z",
};
const SUIT = { S: ["黑桃", "spades"], H: ["红桃", "hearts"], C: ["梅花", "clubs"], D: ["方块", "diamonds"] };
const RANKS = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "LJ", "BJ"];
const JOKER = { LJ: ["小王", "little joker"], BJ: ["大王", "big joker"] };
const ORDER = (rank) => RANKS.indexOf(rank);

/** The rank of a card: "TH" -> "T". */
export const rankOf = (card) => (card in JOKER ? card : card[0]);

/** A rank as people say it. */
export const rankName = (rank) => (rank === "T" ? "10" : rank in JOKER ? JOKER[rank][0] : rank);

/** A rank as people say it in English. */
export const rankNameEn = (rank) => (rank === "T" ? "10" : rank in JOKER ? JOKER[rank][1] : rank);

/** A suit in both languages: "H" -> ["红桃", "hearts"]. */
export const suitName = (suit) => SUIT[suit];

/** Whether a card is a joker. */
export const isJoker = (name) => name in JOKER;

/** All ranks, ascending. */
export const ranks = () => RANKS;

/** The sign of a suit, or a star for jokers ("joker"). */
export function shape(which) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", SHAPE[which]);
  svg.append(path);
  return svg;
}

/** A card as it is read aloud, both languages. */
export function spoken(card, standsFor = null) {
  if (!(card in JOKER)) return `${SUIT[card[1]][0]}${rankName(card[0])} ${rankNameEn(card[0])} of ${SUIT[card[1]][1]}`;
  const wild = standsFor ? `,当${rankName(standsFor)} as ${rankNameEn(standsFor)}` : "";
  return JOKER[card].join(" ") + wild;
}

/** The class of a card's colour. */
export function colour(card) {
  if (card in JOKER) return card === "BJ" ? "big" : "little";
  return card[1] === "H" || card[1] === "D" ? "red" : "black";
}

/** What is drawn on a card. `standsFor`: the rank a wildcard stood for. */
export function face(name, standsFor = null) {
  const joker = name in JOKER;
  const corner = joker
    ? el("span", { class: "corner" }, ...JOKER[name][0].split("").map((sign) => el("span", {}, sign)))
    : el("span", { class: "corner" }, rank(name[0]), shape(name[1]));
  const body = el("span", { class: "pip" }, shape(joker ? "joker" : name[1]));
  const wild = standsFor ? el("span", { class: "as" }, el("span", { class: "eq" }, "="), rank(standsFor)) : null;
  return [corner, body, wild];
}

const rank = (name) => el("span", { class: name === "T" ? "rank ten" : "rank" }, rankName(name));

/** One card, face up. `standsFor`: the rank a wildcard stood for. */
export function card(name, standsFor = null) {
  const attributes = { class: `card ${colour(name)}${name in JOKER ? " joker" : ""}${standsFor ? " wild" : ""}`, role: "img", "aria-label": spoken(name, standsFor), "data-card": name };
  return el("span", attributes, face(name, standsFor));
}

/** One card in a line of text: 7♠. */
export function chip(name) {
  if (name in JOKER) return el("span", { class: `chip ${colour(name)}`, role: "img", "aria-label": spoken(name) }, JOKER[name][0]);
  return el("span", { class: `chip ${colour(name)}`, role: "img", "aria-label": spoken(name) }, rankName(name[0]), shape(name[1]));
}

/** Which rank each card counts as: wildcards are the strongest jokers, and they stand where they stood in. */
function placed(cards, reading) {
  const jokers = cards.filter((name) => name in JOKER).sort((a, b) => ORDER(b) - ORDER(a));
  const wild = jokers.slice(0, reading ? reading.stands_for.length : 0);
  const natural = [...cards];
  for (const name of wild) natural.splice(natural.indexOf(name), 1);
  const list = natural.map((name) => ({ name, as: null, rank: rankOf(name) }));
  wild.forEach((name, index) => list.push({ name, as: reading.stands_for[index], rank: reading.stands_for[index] }));
  const first = (each) => (reading && reading.pattern === "full_house" && each.rank === reading.rank ? 0 : 1);
  return list.sort((a, b) => first(a) - first(b) || ORDER(a.rank) - ORDER(b.rank) || (a.as ? 1 : 0) - (b.as ? 1 : 0));
}

/** Cards side by side in the order given, in pieces: [["7S", "7S"], ["8S"]]. */
export function pieces(groups) {
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  const drawn = groups.map((group) => el("span", { class: `group${group.length > 6 ? " many" : ""}` }, group.map((each) => card(each))));
  return el("span", { class: `fan${count > 12 ? " small" : ""}` }, drawn);
}

/** Cards that were played, those of one rank together; a straight is one piece. */
export function fan(cards, reading = null) {
  const groups = [];
  let last = null;
  for (const each of placed(cards, reading)) {
    const together = last !== null && (each.rank === last || (reading && reading.pattern === "straight"));
    if (!together) groups.push([]);
    groups[groups.length - 1].push(each);
    last = each.rank;
  }
  const drawn = groups.map((group) => el("span", { class: `group${group.length > 6 ? " many" : ""}` }, group.map((each) => card(each.name, each.as))));
  return el("span", { class: `fan${cards.length > 12 ? " small" : ""}` }, drawn);
}

/** Cards in a line of text, with wildcards where they stood in. */
export function chips(cards, reading = null) {
  return placed(cards, reading).map((each) => el("span", { class: "chipped" }, chip(each.name), each.as ? el("span", { class: "as" }, `=${rankName(each.as)}`) : null));
}

/** So many cards seen from behind. */
export function backs(count) {
  return el("span", { class: "backs", "aria-hidden": "true" }, Array.from({ length: count }, () => el("span", { class: "back" })));
}

/** Stars of a bomb. */
export function stars(count) {
  return el("span", { class: "stars", role: "img", "aria-label": `${count}星 ${count} stars` }, `${count}`, shape("joker"));
}
