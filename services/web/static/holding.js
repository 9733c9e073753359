// The player's own cards: in groups, to be picked by mouse, touch or keys. Cards are buttons; those picked are pressed.
import { colour, face, isJoker, rankName, rankNameEn, rankOf, ranks, shape, spoken } from "./cards.js";
import { el } from "./dom.js";
import { bySuit } from "./trumps.js";
import { suitWords } from "./words.js";

/** The groups of a holding: {key, names, cards} each, by rank from high to low, or by suit with the trumps together. */
export function groupsOf(cards, hand) {
  if (hand.family === "trumps") {
    const trump = hand.trump_known ? hand.trump : null;
    return bySuit(cards, hand.level, trump).map(([suit, held]) => ({ key: suit, names: suitWords(suit), mark: suit === "T" ? "主" : shape(suit), cards: held }));
  }
  return [...ranks()]
    .reverse()
    .map((rank) => ({ key: rank, names: [rankName(rank), rankNameEn(rank)], mark: null, cards: cards.filter((card) => rankOf(card) === rank) }))
    .filter((group) => group.cards.length);
}

/** Cards without others, each copy once. */
function less(cards, others) {
  const left = [...others];
  return cards.filter((card) => {
    const index = left.indexOf(card);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/** A holding inside `root`. `on.changed(cards)` after each change of what is picked, `on.key(name)` for enter, escape, hint and pass. */
export class Holding {
  constructor(root, on) {
    this.root = root;
    this.on = on;
    this.key = "";
    this.hand = null; // its number
    this.cards = [];
    this.groups = []; // of buttons
    root.addEventListener("keydown", (key) => this.pressed(key));
  }

  /** The cards that are picked. */
  get picked() {
    return this.buttons().filter((button) => button.getAttribute("aria-pressed") === "true").map((button) => button.dataset.card);
  }

  buttons() {
    return this.groups.flat();
  }

  /** Show these cards. Within a hand, what was picked stays so; of two equal cards it is the picked one that has left. */
  draw(cards, hand) {
    const groups = groupsOf(cards, hand);
    const key = JSON.stringify([hand.family, hand.number, groups.map((group) => [group.key, group.cards])]);
    if (key === this.key) return;
    const picked = this.hand === hand.number ? less(this.picked, less(this.cards, cards)) : [];
    const focused = this.root.contains(document.activeElement);
    const place = this.buttons().findIndex((button) => button.tabIndex === 0);
    this.key = key;
    this.hand = hand.number;
    this.cards = [...cards];
    this.groups = [];
    this.root.className = `cards-held ${hand.family === "trumps" ? "by-suit" : "by-rank"}`;
    this.root.replaceChildren(...groups.map((group) => this.group(group)));
    this.pick(picked, { quiet: true });
    const target = this.buttons()[Math.min(Math.max(place, 0), this.buttons().length - 1)];
    this.rove(target);
    if (focused) target?.focus({ preventScroll: true });
    this.on.changed(this.picked);
  }

  group({ key, names, mark, cards }) {
    const buttons = cards.map((card) => this.card(card));
    this.groups.push(buttons);
    const label = `${names[0]} ${names[1]}, ${cards.length} 张 cards`;
    const all = el("button", { type: "button", class: `pick ${key === "H" || key === "D" ? "red" : ""}`, tabindex: "-1", "aria-label": `选整组 pick all: ${label}` }, mark, el("small", {}, `×${cards.length}`));
    all.addEventListener("click", () => {
      this.rove(buttons[0]);
      this.toggleGroup(buttons);
    });
    return el("div", { class: "held-group", role: "group", "aria-label": label }, all, el("div", { class: "held" }, buttons));
  }

  card(name) {
    const button = el("button", { type: "button", class: `card ${colour(name)}${isJoker(name) ? " joker" : ""}`, "aria-pressed": "false", "aria-label": spoken(name), tabindex: "-1", "data-card": name }, face(name));
    button.addEventListener("click", () => {
      this.rove(button);
      this.toggle(button);
    });
    button.addEventListener("focus", () => this.rove(button));
    return button;
  }

  toggle(button) {
    button.setAttribute("aria-pressed", `${button.getAttribute("aria-pressed") !== "true"}`);
    this.on.changed(this.picked);
  }

  toggleGroup(buttons) {
    const all = buttons.every((button) => button.getAttribute("aria-pressed") === "true");
    for (const button of buttons) button.setAttribute("aria-pressed", `${!all}`);
    this.on.changed(this.picked);
  }

  /** Pick just these cards. */
  pick(cards, { quiet = false } = {}) {
    const wanted = [...cards];
    for (const button of this.buttons()) {
      const index = wanted.indexOf(button.dataset.card);
      button.setAttribute("aria-pressed", `${index >= 0}`);
      if (index >= 0) wanted.splice(index, 1);
    }
    if (!quiet) this.on.changed(this.picked);
  }

  /** Let the tabulator find this card, and no other. */
  rove(button) {
    if (!button) return;
    for (const each of this.buttons()) each.tabIndex = each === button ? 0 : -1;
  }

  pressed(key) {
    if (key.ctrlKey || key.metaKey || key.altKey) return;
    const named = { Enter: "enter", Escape: "escape", h: "hint", H: "hint", p: "pass", P: "pass" }[key.key];
    if (named) {
      key.preventDefault();
      if (!key.repeat) this.on.key(named);
      return;
    }
    const at = this.groups.findIndex((group) => group.includes(key.target));
    if (at < 0) return;
    if (key.key === " " && key.shiftKey) {
      key.preventDefault();
      this.toggleGroup(this.groups[at]);
      return;
    }
    const target = this.beside(at, this.groups[at].indexOf(key.target), key.key);
    if (!target) return;
    key.preventDefault();
    target.focus();
  }

  /** Where an arrow leads: within a group or to the next one; groups stand side by side, or below each other where they are suits. */
  beside(at, index, key) {
    const rows = this.root.classList.contains("by-suit");
    const [less, more] = rows ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const [before, after] = rows ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const buttons = this.buttons();
    switch (key) {
      case less:
        return this.groups[at][index - 1];
      case more:
        return this.groups[at][index + 1];
      case before:
        return this.groups[at - 1]?.[Math.min(index, this.groups[at - 1].length - 1)];
      case after:
        return this.groups[at + 1]?.[Math.min(index, this.groups[at + 1].length - 1)];
      case "Home":
        return buttons[0];
      case "End":
        return buttons.at(-1);
      default:
        return null;
    }
  }
}
