// A replay: any event of a table at a keystroke, why it was allowed, what it scored, and how its shuffle can be checked.
import { ask, Refused } from "./api.js";
import { drawFacts, endWords, makeBoard } from "./board.js";
import { both, el, fill, fillOnce, showState } from "./dom.js";
import { OUTCOME } from "./desk.js";
import { drawGone } from "./gone.js";
import { endsTrick, naming } from "./live.js";
import { line, said } from "./log.js";
import { Record } from "./record.js";
import { resultBody } from "./result.js";
import { bearer, fragment, keepToken, setFragment, tokenFor } from "./session.js";
import { drawProof } from "./proof.js";
import { drawSituation } from "./situation.js";
import { follow } from "./stream.js";
import { isBomb, kindOf, optionWords } from "./words.js";

const CHUNK = 64; // moments asked for at once
const PACE = 1000; // ms an event stays at speed 1
const AGAIN = 3000; // ms until a record that could not be read is read again
const REST = 350; // ms that one stays at an event before its situation is asked for
const TABLE = document.getElementById("replay").dataset.table;
const ADDRESS = `/tables/${encodeURIComponent(TABLE)}`;
const at = (id) => document.getElementById(id);
const STATES = {
  loading: ["读取中…", "loading…"],
  live: ["实时", "live"],
  reconnecting: ["重新连接…", "reconnecting…"],
  closed: ["本桌已结束", "match over"],
  missing: ["牌桌不存在", "no such table"],
  refused: ["无权以此视角观看", "you may not look with these eyes"],
  fault: ["本桌记录有误,请联系管理员", "the record has a fault; ask the operator"],
};
const SVG = "http://www.w3.org/2000/svg";

const board = makeBoard(at("board"));
const ribbon = at("marks");
let token = tokenFor(TABLE);
let record = new Record();
let moments = new Map(); // by version: {event, view}
let asked = new Map(); // chunks on their way, by their first version
let lines = new Map(); // by hand: {lines, upto}
let current = 0;
let going = null; // the timer while it plays
let resting = null;
let again = null; // until a record that could not be read is read again
let stop = null;
let connection = "loading"; // how the connection is
let cases = []; // about this table, as everybody may know them; null: they cannot be asked for
let era = 0; // counts changes of eyes: answers of an earlier one are thrown away

const eyes = () => ({ token, as: fragment().get("as") });
const query = (more) => {
  const wanted = new URLSearchParams(more);
  if (eyes().as) wanted.set("as", eyes().as);
  return wanted;
};

// Reading the record

/** Read the record with the eyes that the address names, and follow it if it goes on. */
async function begin() {
  const mine = (era += 1);
  pause();
  clearTimeout(again);
  stop?.();
  record = new Record();
  [moments, asked, lines] = [new Map(), new Map(), new Map()];
  connection = "loading";
  showState(connection, ...STATES[connection]);
  drawEyes();
  try {
    await readOn(mine);
  } catch (problem) {
    if (mine !== era) return;
    trouble(problem);
    if (problem.status === 0 || problem.status >= 500) again = setTimeout(begin, AGAIN);
    return;
  }
  if (mine !== era) return;
  cases = await ask(`${ADDRESS}/disputes`, token).then((found) => found.cases, () => null);
  if (mine !== era) return;
  at("trouble").hidden = true;
  drawEyes();
  const wanted = Number(fragment().get("e"));
  const hand = record.hands.find((each) => each.number === Number(fragment().get("h")));
  await go(wanted || hand?.first || Math.min(current || 1, record.version), { put: wanted > 0 || hand !== undefined });
  stop = follow(TABLE, eyes(), {
    message: ({ event, view }) => mine === era && takeLive(mine, event, view),
    state: (name) => {
      if (mine !== era) return;
      connection = name;
      showState(name, ...STATES[name]);
      if (name === "live" && !at("trouble").hidden) go(current, { put: false }); // what could not be read may be there by now
    },
  });
}

/** Events that this page does not have yet. */
async function readOn(mine) {
  for (let after = record.version; after !== null; ) {
    const found = await ask(`${ADDRESS}/audit?${query({ after })}`, token);
    if (mine !== era) return;
    for (const event of found.events) if (event.version === record.version + 1) record.add(event);
    after = found.next;
  }
  drawWhole();
}

async function takeLive(mine, event, view) {
  const atEnd = current === record.version;
  if (event?.version === record.version + 1) {
    record.add(event);
    moments.set(event.version, { event, view });
    drawWhole();
  } else if (view.version > record.version) {
    try {
      await readOn(mine);
    } catch (problem) {
      if (mine === era) trouble(problem);
      return; // the next event asks again
    }
  }
  if (mine !== era) return;
  if (atEnd && current < record.version && going === null) go(record.version, { put: false });
  else drawPosition();
}

/** The moment of an event; asks for it and its neighbours if it is not here. */
async function momentAt(version) {
  if (moments.has(version)) return moments.get(version);
  await chunk(version);
  return moments.get(version);
}

function chunk(version) {
  const first = Math.floor((version - 1) / CHUNK) * CHUNK + 1;
  if (!asked.has(first)) asked.set(first, fetchChunk(first).finally(() => asked.delete(first)));
  return asked.get(first);
}

async function fetchChunk(first) {
  const mine = era;
  const found = await ask(`${ADDRESS}/views?${query({ from: first, to: first + CHUNK - 1, opened: at("opened").checked })}`, token);
  if (mine === era) for (const moment of found.moments) moments.set(moment.event.version, moment);
}

function trouble(problem) {
  const said = problem instanceof Refused ? problem : new Refused(0, {});
  at("trouble").hidden = false;
  fill(at("trouble"), both(said.zh, said.en));
  showState("refused", said.status === 0 ? "没有响应" : "无法读取", said.status === 0 ? "no answer" : "cannot be read");
}

/** What could not be read before can be by now. */
function fine() {
  if (at("trouble").hidden) return;
  at("trouble").hidden = true;
  showState(connection, ...STATES[connection]);
}

// Going about

/** Show the table after an event. `put`: let the address say so. */
async function go(version, { put = true } = {}) {
  const wanted = Math.max(1, Math.min(version, record.version));
  const mine = era;
  if (!record.version) return;
  current = wanted;
  drawPosition();
  if (put) note();
  try {
    const [moment, held] = [await momentAt(wanted), await heldAt(wanted)];
    if (current !== wanted || mine !== era || !moment) return;
    drawMoment(moment, held);
    fine();
    if (wanted + CHUNK / 2 <= record.version && !moments.has(wanted + CHUNK / 2)) chunk(wanted + CHUNK / 2).catch(() => null); // asked for again when it is wanted
  } catch (problem) {
    if (current !== wanted || mine !== era) return;
    pause();
    trouble(problem);
  }
}

let noted = 0;
let noting = null;

/** Let the address name this event: at once, but not so often that the browser minds. */
function note() {
  clearTimeout(noting);
  const write = () => {
    noted = Date.now();
    setFragment({ e: current, h: null });
  };
  if (Date.now() - noted > 400) write();
  else noting = setTimeout(write, 400);
}

/** The trick that had just ended at this event, if nothing was played since. */
async function heldAt(version) {
  const end = record.ends[version];
  if (!end || version - end > 6) return null;
  const [ended, before] = [record.at(end), await momentAt(end - 1)];
  return { hand: ended.data.hand, trick: ended.data.trick, plays: before?.view.hand?.plays ?? [], winner: ended.data.seat };
}

/** The next of these places after the present one, or before it. */
function step(places, way) {
  const found = way > 0 ? places.find((place) => place > current) : places.findLast((place) => place < current);
  go(found ?? (way > 0 ? record.version : 1));
}

const moves = {
  back: () => go(current - 1),
  forward: () => go(current + 1),
  "trick-back": () => step(record.trickStarts(), -1),
  "trick-forward": () => step(record.trickStarts(), 1),
  "hand-back": () => step(record.hands.map((hand) => hand.first), -1),
  "hand-forward": () => step(record.hands.map((hand) => hand.first), 1),
  first: () => go(1),
  last: () => go(record.version),
};
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "trick-back", ArrowDown: "trick-forward", PageUp: "hand-back", PageDown: "hand-forward", Home: "first", End: "last" };

function play() {
  if (current >= record.version) current = 0;
  showPlaying(true);
  next();
}

/** The next event, and the one after that in its time. Cards that are dealt pass quickly. */
async function next() {
  going = setTimeout(() => {}, 0);
  const mine = going;
  await go(current + 1);
  if (going !== mine) return;
  if (current >= record.version) return pause();
  const quick = kindOf(record.at(current)) === "cards-dealt" ? 4 : 1;
  going = setTimeout(next, PACE / Number(at("speed").value) / quick);
}

function pause() {
  clearTimeout(going);
  going = null;
  showPlaying(false);
}

function showPlaying(on) {
  const button = at("play");
  button.setAttribute("aria-pressed", `${on}`);
  button.setAttribute("aria-label", on ? "暂停 pause" : "播放 play");
  at("moment").setAttribute("aria-live", on ? "off" : "polite");
}

const toggle = () => (going === null ? play() : pause());

for (const [id, move] of Object.entries(moves)) {
  at(id)?.addEventListener("click", () => {
    pause();
    move();
  });
}
at("play").addEventListener("click", toggle);
at("slider").addEventListener("input", (input) => {
  pause();
  go(Number(input.target.value));
});
at("number").addEventListener("change", (change) => {
  pause();
  go(Number(change.target.value) || 1);
});
addEventListener("keydown", (key) => {
  if (key.ctrlKey || key.metaKey || key.altKey || key.target.closest("input, select, textarea, dialog")) return;
  if (key.key === " " && !key.target.closest("button, summary, a")) {
    key.preventDefault();
    toggle();
  }
  if (!(key.key in KEYS)) return;
  key.preventDefault();
  pause();
  moves[KEYS[key.key]]();
});
addEventListener("hashchange", () => {
  const [wanted, hand] = [Number(fragment().get("e")), Number(fragment().get("h"))];
  if (fragment().has("token")) {
    token = tokenFor(TABLE);
    begin();
  } else if (wanted && wanted !== current) {
    pause();
    go(wanted);
  } else if (hand) {
    pause();
    go(record.hands.find((each) => each.number === hand)?.first ?? current);
  }
});
at("copy").addEventListener("click", async () => {
  setFragment({ e: current });
  try {
    await navigator.clipboard.writeText(location.href);
    fill(at("copy"), both("已复制", "copied"));
  } catch {
    fill(at("copy"), both("请从地址栏复制", "copy it from the address bar"));
  }
  setTimeout(() => fill(at("copy"), both("复制此刻链接", "copy link")), 2500);
});

// Whose eyes

function drawEyes() {
  const { role, player } = token ? bearer(token) : { role: "spectator", player: null };
  const options = [];
  if (role === "auditor") options.push(["", "审计员 auditor"]);
  if (role === "player") options.push(["", `${player} 的座位 own seat`]);
  if (role !== "auditor" && role !== "player") options.push(["", "旁观者 spectator"]);
  if (role === "auditor") options.push(...[0, 1, 2, 3].map((seat) => [`${seat}`, `座${seat} seat ${seat}`]));
  if (role === "auditor" || role === "player") options.push(["spectator", "旁观者 spectator"]);
  if (role !== "player" && record.opened?.data.options.delayed) options.push(["delayed", "延时明牌 delayed"]);
  const now = fragment().get("as") ?? "";
  if (!options.some(([value]) => value === now)) options.push([now, now]);
  fillOnce(at("as"), [options], () => options.map(([value, text]) => el("option", { value }, text)));
  at("as").value = now;
}

at("as").addEventListener("change", () => {
  setFragment({ as: at("as").value || null });
  begin();
});
at("opened").addEventListener("change", begin);
at("eyes").addEventListener("submit", (submit) => {
  submit.preventDefault();
  useToken();
});
at("use-token").addEventListener("click", useToken);

function useToken() {
  keepToken(TABLE, at("token").value);
  at("token").value = "";
  token = tokenFor(TABLE);
  setFragment({ as: null });
  begin();
}

// Drawing

/** What depends on how long the record is. */
function drawWhole() {
  const total = record.version;
  at("version").textContent = total;
  for (const field of [at("slider"), at("number")]) field.max = total;
  const over = !record.hands.length || record.hands.at(-1).end !== null;
  fillOnce(at("links"), [over], () => [
    el("a", { href: `/watch/${encodeURIComponent(TABLE)}` }, both("观战", "watch")),
    over ? el("a", { href: `${ADDRESS}/export`, download: `${TABLE}.ndjson` }, both("牌局文件", "match file")) : el("span", { class: "soft" }, both("牌局文件:本局打完后", "match file: after this hand")),
  ]);
  drawRibbon(total);
}

/** Hands as stripes, bombs and failed throws as strokes, above the slider. */
function drawRibbon(total) {
  ribbon.setAttribute("viewBox", `0 0 ${Math.max(1, total - 1)} 10`);
  const shape = (name, attributes) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const width = Math.max(1, total / 500);
  fill(
    ribbon,
    record.hands.map((hand, index) => shape("rect", { class: `hand h${index % 2}`, x: hand.first - 1, y: 0, width: Math.max(0.5, hand.last - hand.first), height: 10 })),
    record.events.flatMap((event) => {
      const kind = kindOf(event);
      const what = kind === "throw-failed" ? "failed" : kind === "played" && isBomb(event.data.reading) ? "bomb" : null;
      return what ? [shape("rect", { class: what, x: event.version - 1 - width / 2, y: 0, width, height: 10 })] : [];
    }),
  );
}

/** What follows from the record and the place in it alone. */
function drawPosition() {
  at("slider").value = current;
  if (document.activeElement !== at("number")) at("number").value = current;
  const event = record.at(current);
  const hand = record.handAt(current);
  const trick = hand && record.trickAt(hand, current);
  at("slider").setAttribute("aria-valuetext", `事件 event ${current}/${record.version}${hand ? `,第 ${hand.number} 局 hand` : ""}`);
  drawEvent(event, hand, trick);
  drawHands(hand);
  drawTricks(hand, trick);
  drawLines(hand);
  drawRecall(hand);
}

function drawEvent(event, hand, trick) {
  const before = record.at(current - 1);
  const gap = before ? (Date.parse(event.time) - Date.parse(before.time)) / 1000 : 0;
  const place = hand ? [both(`第 ${hand.number} 局`, `hand ${hand.number}`), trick.number ? both(`第 ${trick.number} 轮`, `trick ${trick.number}`) : null] : [];
  fill(
    at("moment"),
    el("span", { class: "place" }, el("b", {}, `${current}`), place),
    said(event, naming(record.namesAt(current))),
    el("span", { class: "soft when" }, el("time", { datetime: event.time }, new Date(event.time).toLocaleTimeString("zh-CN", { hour12: false })), gap >= 0.1 ? ` +${gap < 60 ? gap.toFixed(1) : Math.round(gap)} s` : ""),
  );
}

function drawHands(now) {
  fillOnce(at("hands"), [record.hands.map((hand) => [hand.number, hand.end?.version]), now?.number, cases], () =>
    record.hands.map((hand) =>
      el("li", {}, el("a", { class: "chip-link", href: `#e=${hand.first}`, "aria-current": hand === now ? "true" : null }, both(`第 ${hand.number} 局`, `hand ${hand.number}`), el("span", { class: "end" }, hand.end ? endWords(hand.end.data)[0] : "进行中", lastSaid(hand)))),
    ),
  );
}

function drawTricks(hand, now) {
  fillOnce(at("tricks"), [hand?.number, hand?.tricks.map((trick) => [trick.first, trick.marks.length]), now?.number], () =>
    (hand?.tricks ?? []).map((trick) => {
      const marks = trick.marks.map(([sign, kind, zh, en]) => el("span", { class: `mark ${kind}`, role: "img", "aria-label": `${zh} ${en}` }, sign));
      const name = trick.number ? `${trick.number}` : "发";
      return el("li", {}, el("a", { class: "chip-link", href: `#e=${trick.first}`, "aria-current": trick === now ? "true" : null, title: trick.number ? `第 ${trick.number} 轮 trick ${trick.number}` : "发牌 the deal" }, name, marks));
    }),
  );
}

/** The events of the hand, each a link to its moment; the present one is marked and kept in sight. */
function drawLines(hand) {
  const log = at("log");
  const [first, last] = hand ? [hand === record.hands[0] ? 1 : hand.first, hand.last] : [1, record.hands[0]?.first - 1 || record.version];
  const key = hand?.number ?? 0;
  const kept = lines.get(key) ?? { nodes: [], upto: first - 1 };
  for (; kept.upto < last; kept.upto += 1) kept.nodes.push(linked(kept.upto + 1));
  lines.set(key, kept);
  if (log.dataset.hand !== `${era}.${key}` || log.childElementCount !== kept.nodes.length) {
    log.replaceChildren(...kept.nodes);
    log.dataset.hand = `${era}.${key}`;
  }
  log.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const now = kept.nodes[current - first];
  if (!now) return;
  now.setAttribute("aria-current", "step");
  const [above, below] = [now.offsetTop - log.scrollTop, now.offsetTop + now.offsetHeight - log.scrollTop];
  if (above < 0 || below > log.clientHeight) log.scrollTop = now.offsetTop - log.clientHeight / 3;
}

function linked(version) {
  const node = line(record.at(version), naming(record.namesAt(version)));
  const number = node.querySelector(".v");
  number.replaceChildren(el("a", { href: `#e=${version}`, "aria-label": `事件 event ${version}` }, `${version}`));
  node.addEventListener("click", (click) => {
    if (click.target.closest("a")) return;
    pause();
    go(version);
  });
  return node;
}

function drawMoment({ event, view }, before) {
  const own = /^[0-3]$/.test(view.viewer) ? Number(view.viewer) : seatOfReader(view);
  drawFacts(at("facts"), view);
  const atTable = at("board").getBoundingClientRect().bottom > innerHeight / 3; // not further down
  board(view, { before: endsTrick(event) || view.hand?.plays.length === 0 ? before : null, own, going: false });
  if (atTable) keepInSight(event);
  drawGone(at("gone"), view.hand);
  const hand = record.handAt(current);
  fillOnce(at("to-desk"), [current, token && bearer(token).player], toDesk);
  drawScore(hand);
  drawProof(at("shuffle"), TABLE, record, hand, (first, last) => Promise.all(Array.from({ length: last - first + 1 }, (_, index) => momentAt(first + index))), era);
  clearTimeout(resting);
  if (going === null) resting = setTimeout(drawSituation, REST, at("why"), { address: ADDRESS, version: current, as: eyes().as, token, names: naming(record.namesAt(current)) });
}

/** Scroll as little as shows the table above the bar; where there is no room for all of it, what the event played. */
function keepInSight(event) {
  const floor = innerHeight - document.querySelector(".controls").offsetHeight - 8;
  const table = at("board").getBoundingClientRect();
  const play = document.querySelector(`#seat-${event.data.seat} .play:not(:empty)`);
  const wanted = table.height <= floor ? table : play?.getBoundingClientRect();
  if (!wanted) return;
  const { top, bottom } = wanted;
  if (bottom > floor) scrollBy(0, Math.min(bottom - floor, top - 8));
  else if (top < 8) scrollBy(0, top - 8);
}

/** The way to the dispute desk, for a player whose seat's token this tab has and where this service has the desk. */
function toDesk() {
  const player = token && at("replay").hasAttribute("data-desk") && bearer(token).player;
  return player ? el("a", { href: `/disputes#table=${encodeURIComponent(TABLE)}&event=${current}` }, both(`对事件 ${current} 提出争议`, `dispute event ${current}`)) : [];
}

/** Where the reader's own seat is, to have it at the bottom; seat 0 for others. */
function seatOfReader(view) {
  const { player } = token ? bearer(token) : { player: null };
  const found = view.seats.find((seat) => player !== null && seat.player === player);
  return found ? found.seat : 0;
}

/** The cases about a hand, and those about the whole table. */
const casesOf = (hand) => (cases ?? []).filter((each) => each.hand === null || each.hand === hand.number);
const caseWords = ({ status, outcome }) => (status === "ruled" ? OUTCOME[outcome] : ["有争议,待裁决", "disputed, a ruling is to come"]);

/** What a hand has come to at the desk, for its chip: void, adjusted, disputed. */
function lastSaid(hand) {
  const words = { voided: "作废 void", adjusted: "有调整 adjusted" };
  const own = casesOf(hand).filter((each) => each.hand !== null);
  const said = ["voided", "adjusted"].find((outcome) => own.some((each) => each.outcome === outcome));
  if (said) return ` · ${words[said]}`;
  return own.some((each) => each.status !== "ruled") ? " · 有争议 disputed" : null;
}

/** That a hand is disputed, or what was ruled on it: what it scored may not be what it gave. */
function drawCases(hand) {
  fillOnce(at("cases"), [hand?.number, cases, token && bearer(token).player], () => {
    if (cases === null) return el("li", {}, both("暂时无法得知有无裁决。", "Whether there are rulings cannot be told at the moment."));
    return hand ? casesOf(hand).map(caseLine) : [];
  });
}

function caseLine(each) {
  const to = `/disputes/${encodeURIComponent(each.dispute)}#table=${encodeURIComponent(TABLE)}`;
  const name = el("code", {}, each.dispute);
  const inside = token && at("replay").hasAttribute("data-desk");
  const whole = each.hand === null ? both("全桌:", "the whole table: ") : null;
  const ruling = each.status === "ruled" ? both("裁决:", "ruling: ") : null;
  return el("li", {}, whole, ruling, el("b", {}, both(...caseWords(each))), " · ", inside ? el("a", { href: to }, name) : name, " · ", time(each.time));
}

function drawScore(hand) {
  drawCases(hand);
  fillOnce(at("result"), [hand?.number, hand?.end?.version, hand?.end && current >= hand.end.version], () => {
    if (!hand) return el("p", { class: "soft" }, both("还没有开局。", "No hand has begun."));
    if (!hand.end) return el("p", { class: "soft" }, both("本局还在进行。", "This hand is being played."));
    if (current < hand.end.version) return el("p", {}, el("a", { href: `#e=${hand.end.version}` }, both("到本局结束处看计分", "to the end of this hand, where it is scored")));
    return resultBody(hand.end.data, (event) => `#e=${event}`, true);
  });
}

const time = (text) => el("time", { datetime: text }, new Date(text).toLocaleString("zh-CN", { hour12: false }));
const row = (zh, en, ...value) => [el("dt", {}, both(zh, en)), el("dd", {}, ...value)];

function lasted(from, to) {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
}

function drawRecall(hand) {
  const { opened } = record;
  if (!opened) return;
  fillOnce(at("recall"), [record.version, hand?.number, current], () => {
    const { ruleset, ruleset_version: version } = opened.data;
    const chosen = optionWords(opened.data);
    const event = record.at(current);
    return [
      row("玩法", "ruleset", el("code", {}, `${ruleset}@${version}`)),
      row("开桌", "opened", time(opened.time)),
      row("最后事件", "last event", time(record.at(record.version).time), ` (${record.version})`),
      hand ? row(`第 ${hand.number} 局`, `hand ${hand.number}`, time(record.at(hand.first).time), hand.end ? ` · ${lasted(record.at(hand.first).time, hand.end.time)}` : "") : [],
      hand ? row("玩家", "players", (record.at(hand.end?.version ?? hand.last).data.players ?? record.players[hand.last]).map((name) => name ?? "–").join(" · ")) : [],
      row("选项", "options", chosen.length ? el("ul", {}, chosen.map((each) => el("li", {}, both(...each)))) : "–"),
      event.hash ? row("本事件哈希", "hash of this event", el("code", { class: "whole" }, event.hash)) : [],
      event.command ? row("命令", "command", el("code", { class: "whole" }, event.command)) : [],
    ];
  });
}

begin();
