// Why an event was allowed, and what else could have been done: the situation in which it came about.
import { ask, Refused } from "./api.js";
import { chip, chips } from "./cards.js";
import { both, el, fill } from "./dom.js";
import { readingWords } from "./words.js";

const LISTED = 24; // choices shown at first
const MOST = 200; // choices shown when all are wished
const kept = new Map();
const wanted = new WeakMap(); // what each node is to show; not written into the page, as it holds the token
const DO = {
  play: ["出牌", "play"], pass: ["过", "pass"], declare: ["亮主", "declare"], decline: ["不亮、不反", "decline"], bury: ["扣底", "bury"], counter: ["反底", "counter"],
};

/** Draw the situation of an event into `node`. `names` names seats. */
export async function drawSituation(node, { address, version, as, token, names, limit = LISTED }) {
  const query = new URLSearchParams({ limit });
  if (as) query.set("as", as);
  const key = `${token} ${version} ${query}`;
  wanted.set(node, key);
  try {
    if (!kept.has(key)) kept.set(key, await ask(`${address}/situations/${version}?${query}`, token));
    if (wanted.get(node) !== key) return; // another was asked for meanwhile
    const found = kept.get(key);
    fill(node, body(found, names, limit < MOST ? () => drawSituation(node, { address, version, as, token, names, limit: MOST }) : null));
  } catch (problem) {
    const said = problem instanceof Refused ? problem : new Refused(0, {});
    if (wanted.get(node) === key) fill(node, el("p", { class: "soft" }, both(said.zh, said.en)));
  }
}

function body(found, names, more) {
  const known = new Set(["", ...found.reasons.map((each) => each.zh)]);
  return [
    found.broken ? el("p", { class: "bad" }, clause(found.broken), both(found.broken.zh, found.broken.en)) : null,
    el("ul", { class: "why" }, found.reasons.map(reason), found.events.filter((event) => !known.has(event.zh)).map((event) => reason(event, `${event.version}`))),
    beaten(found, names),
    choices(found, names, more),
  ];
}

const clause = ({ clause: text }) => el("span", { class: "clause" }, text || "–");
const reason = (each, number = null) => el("li", {}, clause(each), el("span", {}, typeof number === "string" ? el("span", { class: "soft number" }, `${number} `) : null, both(each.zh, each.en)));

function beaten({ to_beat: best }, names) {
  if (!best) return null;
  return el("p", { class: "beaten" }, el("span", { class: "soft" }, both(best.reading ? "要压" : "首出", best.reading ? "to beat" : "led")), " ", `${names(best.seat)} `, best.cards.map(chip));
}

function choices({ act, choices: open, waiting }, names, more) {
  if (act.seat === null || !open || (!open.acts.length && !open.note_zh)) return null;
  const count = open.total === null ? ["许多种", "many things"] : [`${open.total} 种`, `${open.total} thing${open.total === 1 ? "" : "s"}`];
  return [
    el("h3", {}, both(`${names(act.seat)} 当时可选 ${count[0]}`, `could have done ${count[1]}`)),
    el("ul", { class: "choices" }, open.acts.map((each) => choice(each, same(each, act)))),
    open.total === null || open.acts.length < open.total ? rest(open, more) : null,
    open.note_zh || open.note_en ? el("p", { class: "small soft" }, both(open.note_zh, open.note_en)) : null,
    waiting.length > 1 ? el("p", { class: "small soft" }, both(`当时等 ${waiting.map(names).join("、")}`, "were waited for")) : null,
  ];
}

function rest(open, more) {
  const left = open.total === null ? "" : `${open.total - open.acts.length} `;
  if (!more) return el("p", { class: "small soft" }, both(`还有 ${left}种未列出`, `${left}more`));
  const button = el("button", { type: "button", class: "quiet" }, both(`再列一些(还有 ${left}种)`, `show more of the ${left}left`));
  button.addEventListener("click", more);
  return button;
}

const same = (one, other) => one.do === other.do && [...one.cards].sort().join() === [...other.cards].sort().join();

function choice(act, done) {
  const words = act.reading ? readingWords(act.reading) : (DO[act.do] ?? [act.do, act.do]);
  const drawn = act.cards.length ? chips(act.cards, act.reading) : null;
  return el("li", { class: done ? "done" : "", title: words.join(" ") }, drawn ?? both(...words), done ? el("span", { class: "tick" }, "✓", el("span", { class: "unseen" }, "所选 chosen")) : null);
}
