// 记牌器: which cards were played so far.
import { isJoker, rankName, ranks, spoken, shape } from "./cards.js";
import { el, fillOnce } from "./dom.js";
import { LEVELS, suitOf } from "./trumps.js";
import { trumpsOf } from "./board.js";

/** Draw the cards gone in a hand: by rank where only ranks matter, else by card. */
export function drawGone(node, hand) {
  const trumps = hand?.family === "trumps";
  node.className = trumps ? "gone-by-card" : "gone-by-rank";
  fillOnce(node, [trumps, hand?.gone, ...trumpsOf(hand)], () => (trumps ? byCard(hand) : byRank(hand)));
}

const state = (gone, all) => (gone === all ? "out" : gone ? "some" : "");

function byRank(hand) {
  return ranks().map((rank) => {
    const all = rank === "LJ" || rank === "BJ" ? 2 : 8;
    const gone = hand?.gone[rank] ?? 0;
    const label = `${rankName(rank)}:已出 ${gone} / ${all} played`;
    return el("li", {}, el("span", { class: `cell ${state(gone, all)}`, role: "img", "aria-label": label }, el("b", {}, rankName(rank)), el("span", {}, `${gone}`, el("small", {}, `/${all}`))));
  });
}

function byCard(hand) {
  const [level, trump] = trumpsOf(hand);
  const order = [...LEVELS].reverse();
  const rows = ["S", "H", "C", "D"].map((suit) => [suit, order.map((rank) => rank + suit)]);
  return [...rows, ["joker", ["BJ", "LJ"]]].map(([suit, cards]) =>
    el(
      "li",
      {},
      el("span", { class: `row-of ${suit === "H" || suit === "D" ? "red" : ""}`, "aria-hidden": "true" }, shape(suit)),
      el("ul", {}, cards.map((card) => one(card, hand.gone[card] ?? 0, suitOf(card, level, trump) === "T"))),
    ),
  );
}

function one(card, gone, isTrump) {
  const label = `${spoken(card)}:已出 ${gone} / 2 played`;
  return el("li", {}, el("span", { class: `cell ${state(gone, 2)}${isTrump ? " is-trump" : ""}`, role: "img", "aria-label": label }, el("b", {}, isJoker(card) ? rankName(card) : rankName(card[0])), el("small", {}, `${gone}`)));
}
