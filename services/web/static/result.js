// How a hand ended, and where every number comes from.
import { pieces } from "./cards.js";
import { both, el, exact, signed } from "./dom.js";
import { endWords, sideMark } from "./board.js";
import { bySuit } from "./trumps.js";
import { plain, place } from "./words.js";

/** The end of a hand, whichever it was. `moment`: makes the address of an event, where there is one to go to; `open`: with all its lines. */
export function resultBody(data, moment = null, open = false) {
  const title = el("p", { class: "outcome" }, both(...endWords(data)));
  if ("outcome" in data) return [title, scored(data), why(data, moment, open)];
  if ("kitty_points" in data) return [title, settled(data), kitty(data), why(data, moment, open)];
  if ("most" in data) return [title, points(data, data.score), why(data, moment, open)];
  return [title, el("p", { class: "soft" }, both("没有底分;", "No base points."), " ", both("贡献分", "Contribution points"), " ", list(data.players, data.contribution))];
}

const list = (players, amounts) => players.map((name, seat) => `${plain(name)} ${signed(amounts[seat])}`).join(", ");
const points = (data, score) => el("p", {}, list(data.players, score));

function table(heads, rows) {
  const head = el("thead", {}, el("tr", {}, heads.map((each) => el("th", { scope: "col" }, both(...each)))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "得分 scores" }, el("table", {}, head, el("tbody", {}, rows)));
}

const who = (seat, name) => el("th", { scope: "row" }, sideMark(seat), " ", name);
const number = (...text) => el("td", { class: "n" }, ...text);

function scored(data) {
  const rows = data.finish.map((seat, index) =>
    el(
      "tr",
      {},
      el("td", {}, both(...place(index + 1))),
      who(seat, data.players[seat]),
      number(signed(data.base[seat])),
      number(`×${data.multiplier}`),
      number(signed(data.contribution[seat])),
      el("td", { class: "n sum" }, signed(data.score[seat]), data.coins ? el("span", { class: "coins" }, `${exact(data.coins[seat])} `, both("币", "coins")) : null),
    ),
  );
  return table([["名次", "place"], ["玩家", "player"], ["底分", "base"], ["倍数", "times"], ["贡献", "contrib."], ["得分", "score"]], rows);
}

function settled(data) {
  const rows = data.players.map((name, seat) => {
    const declaring = seat % 2 === data.declarer % 2;
    const role = seat === data.declarer ? ["庄家", "declarer"] : declaring ? ["庄方", "declaring side"] : ["抓分方", "attackers"];
    return el("tr", {}, el("td", {}, both(...role)), who(seat, name), el("td", { class: "n sum" }, signed(data.score[seat])));
  });
  const facts = [
    [`抓分方 ${data.taken} 分`, `the attackers took ${data.taken}`],
    data.multiplier ? [`底牌 ${data.kitty_points} 分 ×${data.multiplier}`, `kitty ${data.kitty_points} × ${data.multiplier}`] : null,
    [`共 ${data.points} 分`, `${data.points} in all`],
    data.levels[0] ? [`庄方升 ${data.levels[0]} 级`, `the declaring side rises ${data.levels[0]}`] : null,
    data.levels[1] ? [`抓分方升 ${data.levels[1]} 级`, `the attackers rise ${data.levels[1]}`] : null,
    [`下局 ${plain(data.players[data.next_declarer])} 坐庄`, `${plain(data.players[data.next_declarer])} declares next`],
  ].filter((each) => each !== null);
  return [el("ul", { class: "results" }, facts.map((each) => el("li", {}, both(...each)))), table([["身份", "role"], ["玩家", "player"], ["得分", "score"]], rows)];
}

const kitty = (data) => el("div", { class: "kitty" }, el("span", {}, both("底牌", "kitty")), pieces(bySuit(data.kitty, null, null).map(([, cards]) => cards)));

const COUNTED = new Set(["base", "contribution", "accumulation", "coins", "sum", "points", "trick", "penalty", "kitty", "total", "score", "most"]);

/** The number of a line as people write it; none where it is in its words already. */
function amount({ kind, amount: number }) {
  if (kind === "multiplier") return `×${number}`;
  if (!COUNTED.has(kind)) return "";
  return typeof number === "number" ? signed(number) : exact(number);
}

/** Every line of an explanation with its clause and the event it comes from. */
function why(data, moment, open) {
  const lines = data.why.map((each) =>
    el(
      "li",
      {},
      el("span", { class: "clause" }, each.clause),
      el("b", { class: "amount" }, amount(each)),
      el(
        "span",
        {},
        each.seat === null ? "" : `${plain(data.players[each.seat])}: `,
        both(each.zh, each.en),
        each.play ? [" ", moment ? el("a", { href: moment(each.play) }, `事件 event ${each.play}`) : el("span", { class: "soft" }, `(事件 event ${each.play})`)] : null,
      ),
    ),
  );
  return el("details", { open }, el("summary", {}, both("分数的来历", "How the numbers come about")), el("ul", { class: "why" }, lines));
}
