// Trump games: which suit a card belongs to and how high it is, under a level and a trump suit (T4).
import { isJoker } from "./cards.js";

/** Levels from the first to the last; also the ranks of a suit, ascending. */
export const LEVELS = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"];
const SUITS = ["S", "H", "C", "D"];
const [LEVEL_CARD, TRUMP_LEVEL_CARD, LITTLE, BIG] = [20, 21, 22, 23];

/** The suit of a card: S, H, C, D, or T for trumps. `trump` null: only jokers and level cards are trumps. */
export function suitOf(card, level, trump) {
  return isJoker(card) || card[0] === level || card[1] === trump ? "T" : card[1];
}

/** How high a card is within its suit. */
export function strength(card, level, trump) {
  if (isJoker(card)) return card === "BJ" ? BIG : LITTLE;
  if (card[0] === level) return card[1] === trump ? TRUMP_LEVEL_CARD : LEVEL_CARD;
  return LEVELS.indexOf(card[0]);
}

/** Cards from high to low, level cards of one suit together. */
export function sorted(cards, level, trump) {
  return [...cards].sort((a, b) => strength(b, level, trump) - strength(a, level, trump) || SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]));
}

/** A holding by suit, trumps first, then the plain suits in turns of colour: [["T", cards], ["S", cards], …]; suits without cards left away. */
export function bySuit(cards, level, trump) {
  return ["T", "S", "H", "C", "D"]
    .map((suit) => [suit, sorted(cards.filter((card) => suitOf(card, level, trump) === suit), level, trump)])
    .filter(([, held]) => held.length);
}

/** The points cards count: a 5 is 5, a 10 and a K are 10 (T7.1). */
export const pointsIn = (cards) => cards.reduce((sum, card) => sum + ({ 5: 5, T: 10, K: 10 }[card[0]] ?? 0), 0);
