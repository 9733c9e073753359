// The shuffle of a hand: what was promised, what was revealed, and this browser's own computation of it.
import { both, el, fill, fillOnce } from "./dom.js";
import { canCompute, check } from "./shuffle.js";
import { kindOf } from "./words.js";

const done = new Map();

/** Draw the proof of a hand. `read(first, last)` gives the moments of these events, as far as the reader may see their cards; `eyes` names
 * with whose eyes, so that it is drawn again for others. */
export function drawProof(node, table, record, hand, read, eyes) {
  const revealed = hand && record.events.slice(hand.first - 1, hand.last).find((event) => kindOf(event) === "seed-revealed");
  fillOnce(node, [table, hand?.number, revealed?.version, eyes], () => {
    if (!hand) return el("p", { class: "soft" }, both("还没有开局。", "No hand has begun."));
    const started = record.at(hand.first).data;
    const facts = [
      el("dt", {}, both("发牌前的承诺", "commitment, before the deal")),
      el("dd", {}, el("code", { class: "whole" }, started.commitment)),
      el("dt", {}, both("种子", "seed")),
      el("dd", {}, revealed ? el("code", { class: "whole" }, revealed.data.seed) : both("本局结束时公布", "revealed when the hand is over")),
    ];
    const salts = saltsOf(record, hand).map((each) => el("li", {}, `${each.player}: `, el("code", {}, each.salt)));
    const result = el("div", { class: "checks", role: "status" });
    if (revealed) compute(result, `${eyes}.${hand.number}`, { table, record, hand, revealed, read });
    return [el("dl", {}, facts, salts.length ? [el("dt", {}, both("玩家随机数", "added by players")), el("dd", {}, el("ul", {}, salts))] : []), result];
  });
}

function saltsOf(record, hand) {
  return record.events.filter((event) => kindOf(event) === "salt-given" && event.data.hand === hand.number).map((event) => event.data);
}

async function compute(node, key, { table, record, hand, revealed, read }) {
  if (!canCompute()) {
    fill(node, el("p", { class: "soft" }, both("浏览器只在 https 或本机地址上提供计算;可用 shuangkou verify 核对。", "Browsers compute this on https or on the machine itself only; shuangkou verify checks it too.")));
    return;
  }
  fill(node, el("p", { class: "soft" }, both("正在本机重算…", "computing it again here…")));
  try {
    if (!done.has(key)) done.set(key, await check(table, await gather(record, hand, revealed, read)));
    fill(node, shown(done.get(key)));
  } catch {
    fill(node, el("p", { class: "soft" }, both("暂时无法重算。", "It cannot be computed just now.")));
  }
}

/** The data of the events that the check asks for. */
async function gather(record, hand, revealed, read) {
  const dealing = hand.tricks[1]?.first ?? hand.last;
  const moments = await read(hand.first, dealing);
  const data = (kind) => moments.filter((moment) => kindOf(moment.event) === kind).map((moment) => moment.event.data);
  const committed = record.events.find((event) => kindOf(event) === "seed-committed" && event.data.hand === hand.number);
  return {
    handStarted: record.at(hand.first).data,
    seedRevealed: revealed.data,
    seedCommitted: committed?.data,
    salts: saltsOf(record, hand),
    dealt: data("dealt")[0],
    cardsDealt: data("cards-dealt"),
    kittyTaken: data("kitty-taken")[0],
    declarerNamed: data("declarer-named")[0],
  };
}

function shown({ checks, pack }) {
  const words = { true: ["✓", "good", "相符 holds"], false: ["✗", "bad", "不符 does not hold"], null: ["–", "soft", "此视角看不到牌 these eyes do not see the cards"] };
  const lines = checks.map(({ ok, zh, en }) => {
    const [sign, kind, label] = words[`${ok}`];
    return el("li", { class: kind }, el("span", { class: "sign", role: "img", "aria-label": label }, sign), both(zh, en));
  });
  return [
    el("p", { class: "small soft" }, both("由本浏览器用 HMAC-SHA256 重算:", "Computed by this browser with HMAC-SHA256:")),
    el("ul", { class: "checked" }, lines),
    el("details", {}, el("summary", {}, both("洗好的 108 张牌", "the 108 cards as shuffled")), el("p", { class: "whole small" }, pack.join(" "))),
  ];
}
