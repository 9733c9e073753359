// A table live, as a spectator sees it, or late with all hands where the table allows it.
import { drawFacts, makeBoard } from "./board.js";
import { both, el, fill, fillOnce, showState } from "./dom.js";
import { drawGone } from "./gone.js";
import { watchTable } from "./live.js";
import { drawLog } from "./log.js";
import { resultBody } from "./result.js";
import { fragment, setFragment } from "./session.js";

const TABLE = document.getElementById("watch").dataset.table;
const at = (id) => document.getElementById(id);
const STATES = {
  live: ["已连接", "live"],
  reconnecting: ["重新连接…", "reconnecting…"],
  closed: ["本桌已结束", "match over"],
  missing: ["牌桌不存在", "no such table"],
  refused: ["无权以此视角观看", "you may not look with these eyes"],
  fault: ["本桌记录有误,请联系管理员", "the record has a fault; ask the operator"],
};
const board = makeBoard(at("board"));
let watching = null;
let eyes = null;
let due = false;

/** The eyes that the address names, null for those of now. */
const chosen = () => (fragment().get("as") === "delayed" ? "delayed" : null);

/** Begin to follow with the eyes that the address names. */
function begin() {
  watching?.stop();
  eyes = chosen();
  watching = watchTable(TABLE, { as: eyes }, { changed, state: (name) => showState(name, ...STATES[name]) });
}

function changed() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

function draw() {
  due = false;
  const { view, before, result, seed, events } = watching.live;
  if (!view) return;
  const { hand } = view;
  at("version").textContent = view.version;
  drawFacts(at("facts"), view);
  board(view, { before });
  drawResult(hand?.result ?? result);
  drawLog(at("log"), events);
  drawGone(at("gone"), hand);
  drawProof(hand, seed);
  drawEyes(view);
  drawLinks(view);
}

function drawResult(result) {
  at("result").hidden = result === null;
  if (result === null) return;
  fillOnce(at("result-body"), [result.hand, result.score ?? null], () => resultBody(result, moment));
  fillOnce(at("result-title"), result.hand, () => both(`第 ${result.hand} 局结果`, `Result of hand ${result.hand}`));
}

const moment = (event) => `/replay/${encodeURIComponent(TABLE)}#e=${event}`;

function drawProof(hand, seed) {
  const shown = hand?.seed ? { hand: hand.number, seed: hand.seed } : seed;
  fillOnce(at("proof"), [hand?.number, hand?.commitment, shown], () => [
    ...(hand ? [el("dt", {}, both(`第 ${hand.number} 局承诺`, `commitment of hand ${hand.number}`)), hash(hand.commitment)] : []),
    ...(hand && !hand.seed ? [el("dt", {}, both(`第 ${hand.number} 局种子`, `seed of hand ${hand.number}`)), el("dd", {}, both("计分后公布", "revealed when it is scored"))] : []),
    ...(shown ? [el("dt", {}, both(`第 ${shown.hand} 局种子(已公布)`, `seed of hand ${shown.hand}, revealed`)), hash(shown.seed)] : []),
  ]);
}

const hash = (text) => el("dd", {}, el("details", {}, el("summary", {}, el("code", {}, `${text.slice(0, 16)}…`)), el("code", { class: "whole" }, text)));

/** Whose eyes: live without the cards, or late with all of them, where the table allows that. */
function drawEyes(view) {
  const now = eyes ?? "spectator";
  at("eyes").hidden = view.delayed === null;
  if (view.delayed === null) return;
  const late = view.delayed === "hand" ? ["一局打完后看明牌", "all cards, a hand late"] : [`明牌,延后 ${view.delayed} 个事件`, `all cards, ${view.delayed} events late`];
  fillOnce(at("eyes"), [now, view.delayed], () =>
    [["spectator", "实时", "live"], ["delayed", ...late]].map(([name, zh, en]) => {
      const button = el("button", { type: "button", "aria-pressed": `${name === now}`, "data-as": name }, both(zh, en));
      button.addEventListener("click", () => {
        setFragment({ as: name === "delayed" ? name : null });
        begin();
      });
      return button;
    }),
  );
}

/** The match file while no hand is being played, and where each earlier hand began. */
function drawLinks(view) {
  const running = view.hand !== null && !view.hand.result && !view.closed;
  fillOnce(at("links"), [running, view.hand?.number], () => [
    el("a", { href: `/replay/${encodeURIComponent(TABLE)}` }, both("回放", "replay")),
    running ? el("span", { class: "soft" }, both("牌局文件:本局打完后", "match file: after this hand")) : el("a", { href: `/tables/${encodeURIComponent(TABLE)}/export`, download: `${TABLE}.ndjson` }, both("牌局文件", "match file")),
  ]);
  fillOnce(at("hands"), [view.hand?.number], () =>
    Array.from({ length: view.hand?.number ?? 0 }, (_, index) => el("a", { class: "chip-link", href: `/replay/${encodeURIComponent(TABLE)}#h=${index + 1}`, "aria-label": `第 ${index + 1} 局回放 replay of hand ${index + 1}` }, `${index + 1}`)),
  );
}

at("aloud").addEventListener("click", (click) => {
  const on = click.currentTarget.getAttribute("aria-pressed") !== "true";
  click.currentTarget.setAttribute("aria-pressed", `${on}`);
  at("log").setAttribute("aria-live", on ? "polite" : "off");
});
addEventListener("hashchange", () => chosen() !== eyes && begin());
fill(at("hands"));
begin();
