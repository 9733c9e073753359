// The lobby: the tables asked for, looked at again every two seconds while somebody looks.
import { ask } from "./api.js";
import { sideMark } from "./board.js";
import { both, el, fill, fillOnce, showState, signed } from "./dom.js";
import { STATUS } from "./words.js";

const EVERY = 2000; // ms
const MOST = 100; // tables, those that moved last
const TYPING = 250; // ms of rest before what is being typed is looked for
const at = (id) => document.getElementById(id);
const form = at("filters");
const rows = new Map();
let failures = 0;
let timer = null; // until the tables are looked at again
let typing = null; // until what is being typed is looked for
let asking = 0;

/** What the form asks for, without what is empty. */
function asked() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) wanted.set(name, value.trim());
  return wanted;
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  const mine = (asking += 1);
  const query = asked();
  query.set("limit", MOST);
  try {
    const found = await ask(`/tables?${query}`);
    if (mine !== asking) return;
    draw(found.tables);
    failures = 0;
    at("trouble").hidden = true;
    showState("live", "实时", "live");
  } catch {
    if (mine !== asking) return;
    failures += 1;
    at("trouble").hidden = failures < 2;
    showState("reconnecting", "重新连接…", "reconnecting…");
  }
  clearTimeout(timer);
  timer = setTimeout(look, Math.min(EVERY * 2 ** Math.min(failures, 3), 15_000));
}

function draw(tables) {
  const open = tables.filter((table) => table.status !== "closed");
  const closed = tables.filter((table) => table.status === "closed");
  arrange(at("open"), open);
  arrange(at("closed"), closed);
  at("open-count").textContent = open.length || "";
  at("closed-count").textContent = closed.length || "";
  at("latest").hidden = tables.length < MOST;
  at("empty").hidden = tables.length > 0;
  at("closed-part").hidden = closed.length === 0;
  const known = new Set(tables.map((table) => table.table));
  for (const id of [...rows.keys()]) if (!known.has(id)) rows.delete(id);
}

/** Tables in the order in which they were opened, latest first: a list that moves under the finger is no use. */
function arrange(list, tables) {
  const sorted = [...tables].sort((a, b) => b.opened.localeCompare(a.opened) || a.table.localeCompare(b.table));
  const nodes = sorted.map(node);
  for (const child of [...list.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((each, index) => {
    if (list.children[index] !== each) list.insertBefore(each, list.children[index] ?? null);
  });
}

function node(table) {
  let found = rows.get(table.table);
  if (!found) {
    const part = (name) => el(name === "players" ? "ul" : "p", { class: name });
    const [head, hand, players, foot, ways] = [part("line"), part("line soft"), part("players"), part("line soft"), part("ways")];
    const when = el("span", { class: "when" });
    found = { node: el("li", { class: "table", "data-table": table.table }, head, hand, players, foot, ways), head, hand, players, foot, ways, when };
    rows.set(table.table, found);
  }
  const id = encodeURIComponent(table.table);
  fillOnce(found.head, [table.status], () => [
    el("a", { class: "title", href: `/watch/${id}` }, both(table.title_zh, table.title_en)),
    el("span", { class: `status ${table.status}` }, both(...STATUS[table.status])),
  ]);
  fillOnce(found.hand, [table.hand], () => [el("span", {}, both("局", "hand"), " ", el("b", {}, `${table.hand}${table.hands ? ` / ${table.hands}` : ""}`)), found.when]);
  fillOnce(found.players, [table.players, table.scores], () => table.players.map((name, seat) => player(name, seat, table.scores)));
  fillOnce(found.foot, [table.version], () => [el("code", {}, table.table), el("span", { class: "count" }, both("事件", "events"), " ", el("b", {}, `${table.version}`))]);
  fillOnce(found.ways, [table.status], () => ways(table, id));
  fill(found.when, both(...ago((Date.now() - Date.parse(table.moved)) / 1000)));
  return found.node;
}

function ways(table, id) {
  return [
    el("a", { href: `/watch/${id}` }, both("观战", "watch")),
    el("a", { href: `/replay/${id}` }, both("回放", "replay")),
    table.status === "closed" || form.dataset.seats === "no" ? null : el("a", { href: `/play/${id}` }, both("入座", "play")),
    table.status === "playing" ? null : el("a", { href: `/tables/${id}/export`, download: `${table.table}.ndjson` }, both("牌局文件", "match file")),
  ];
}

function player(name, seat, scores) {
  const score = name === null ? null : (scores[name] ?? 0);
  return el(
    "li",
    { class: name === null ? "player free" : "player" },
    sideMark(seat),
    el("span", { class: "name", title: name }, name ?? both("空位", "free")),
    score === null ? null : el("b", { class: score < 0 ? "minus" : "" }, signed(score)),
  );
}

function ago(seconds) {
  for (const [size, zh, en] of [[86_400, "天", "d"], [3600, "小时", "h"], [60, "分钟", "min"], [5, "秒", "s"]]) {
    if (seconds >= size) {
      const count = Math.floor(seconds / (size === 5 ? 1 : size));
      return [`${count} ${zh}前`, `${count} ${en} ago`];
    }
  }
  return ["刚刚", "just now"];
}

/** Look for what the form asks for now, and let the address say so. */
function find() {
  clearTimeout(typing);
  const query = asked().toString();
  history.replaceState(null, "", query ? `/?${query}` : "/");
  at("reset").hidden = query === "";
  look();
}

form.addEventListener("submit", (submit) => {
  submit.preventDefault();
  find();
});
form.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(find, TYPING);
});
at("reset").addEventListener("click", (click) => {
  click.preventDefault();
  for (const field of form.elements) if (field.name) field.value = "";
  find();
});
document.addEventListener("visibilitychange", look);
addEventListener("online", look);
look();
