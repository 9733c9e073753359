// The lobby: all tables, asked for again every two seconds while somebody looks.
import { both, el, fill, fillOnce, showState, signed } from "./dom.js";
import { STATUS } from "./words.js";

const EVERY = 2000; // ms
const MOST = 100; // tables, those that moved last
const SIDES = ["甲", "乙"];
const at = (id) => document.getElementById(id);
const cards = new Map();
let failures = 0;
let timer = null;

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(`/tables?limit=${MOST}`, { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const now = Date.parse(answer.headers.get("date")) || Date.now();
    draw((await answer.json()).tables, now);
    failures = 0;
    at("trouble").hidden = true;
    showState("live", "实时", "live");
  } catch {
    failures += 1;
    at("trouble").hidden = failures < 2;
    showState("reconnecting", "重新连接…", "reconnecting…");
  }
  clearTimeout(timer);
  timer = setTimeout(look, Math.min(EVERY * 2 ** Math.min(failures, 3), 15_000));
}

function draw(tables, now) {
  const open = tables.filter((table) => table.status !== "closed");
  const closed = tables.filter((table) => table.status === "closed");
  arrange(at("open"), open, now);
  arrange(at("closed"), closed, now);
  at("open-count").textContent = open.length || "";
  at("closed-count").textContent = closed.length || "";
  at("latest").hidden = tables.length < MOST;
  at("empty").hidden = open.length > 0;
  at("closed-part").hidden = closed.length === 0;
  const known = new Set(tables.map((table) => table.table));
  for (const id of [...cards.keys()]) if (!known.has(id)) cards.delete(id);
}

/** Tables in the order in which they were opened, latest first: a list that moves under the finger is no use. */
function arrange(list, tables, now) {
  const sorted = [...tables].sort((a, b) => b.opened.localeCompare(a.opened) || a.table.localeCompare(b.table));
  const nodes = sorted.map((table) => node(table, now));
  for (const child of [...list.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((each, index) => {
    if (list.children[index] !== each) list.insertBefore(each, list.children[index] ?? null);
  });
}

function node(table, now) {
  let found = cards.get(table.table);
  if (!found) {
    const body = el("a", { href: `/watch/${encodeURIComponent(table.table)}` });
    found = { node: el("li", {}, body), body, when: el("span", { class: "when" }) };
    cards.set(table.table, found);
  }
  const { moved, ...rest } = table;
  fillOnce(found.body, [rest], () => shown(table, found.when));
  fill(found.when, both(...ago((now - Date.parse(moved)) / 1000)));
  return found.node;
}

function shown(table, when) {
  return [
    el(
      "span",
      { class: "line" },
      el("span", { class: "title" }, both(table.title_zh, table.title_en)),
      el("span", { class: `status ${table.status}` }, both(...STATUS[table.status])),
    ),
    el(
      "span",
      { class: "line soft" },
      el("span", {}, both("局", "hand"), " ", el("b", {}, `${table.hand}${table.hands ? ` / ${table.hands}` : ""}`)),
      when,
    ),
    el("span", { class: "players" }, table.players.map((name, seat) => player(name, seat, table.scores))),
    el("span", { class: "line soft" }, el("code", {}, table.table), el("span", { class: "count" }, both("事件", "events"), " ", el("b", {}, `${table.version}`))),
  ];
}

function player(name, seat, scores) {
  const score = name === null ? null : (scores[name] ?? 0);
  return el(
    "span",
    { class: name === null ? "player free" : "player" },
    el("span", { class: `side s${seat % 2}`, "aria-label": `${SIDES[seat % 2]}方 side ${"AB"[seat % 2]}`, role: "img" }, SIDES[seat % 2]),
    el("span", { class: "name", title: name }, name ?? both("空位", "free")),
    score === null ? null : el("b", { class: score < 0 ? "minus" : "" }, signed(score)),
  );
}

function ago(seconds) {
  if (seconds < 5) return ["刚刚", "just now"];
  for (const [size, zh, en] of [[86_400, "天", "d"], [3600, "小时", "h"], [60, "分钟", "min"], [1, "秒", "s"]]) {
    if (seconds >= size) return [`${Math.floor(seconds / size)} ${zh}前`, `${Math.floor(seconds / size)} ${en} ago`];
  }
  return ["刚刚", "just now"];
}

document.addEventListener("visibilitychange", look);
addEventListener("online", look);
look();
