// A table live, as a spectator sees it.
import { backs, card, fan, rankName, ranks, stars } from "./cards.js";
import { both, el, fillOnce, showState, signed } from "./dom.js";
import { follow } from "./stream.js";
import { eventWords, isBomb, kindOf, leaderWords, OUTCOME, place, plain, readingWords, wildWords } from "./words.js";

const KEPT = 40; // events in the list
const TABLE = document.getElementById("watch").dataset.table;
const at = (id) => document.getElementById(id);
const STATES = {
  live: ["已连接", "live"],
  reconnecting: ["重新连接…", "reconnecting…"],
  closed: ["本桌已结束", "match over"],
  missing: ["牌桌不存在", "no such table"],
  fault: ["本桌记录有误,请联系管理员", "the record has a fault; ask the operator"],
};
const SIDES = [["甲", "side A"], ["乙", "side B"]];

let view = null;
let before = null; // the last trick that ended: {hand, trick, plays, winner, caught}
let result = null; // the last hand that ended, as its event says
let seed = null; // {hand, seed} of the last hand that ended
let due = false;
const events = new Map();

const nameAt = (seat) => view.seats[seat].player ?? `座${seat}`;
const seated = (shown) => shown.seats.map((seat) => seat.player);

function take(message) {
  const { event } = message;
  if (event === null) {
    events.clear();
    before = result = seed = null;
    view = message.view;
    recall(view);
  } else {
    remember(event, seated(message.view));
    if (kindOf(event) === "trick-won" && view.hand) {
      before = { hand: event.data.hand, trick: event.data.trick, plays: view.hand.plays, winner: event.data.seat };
    }
    view = message.view;
  }
  if (!due) {
    due = true;
    requestAnimationFrame(draw);
  }
}

/** Keep what the next views no longer show. `players`: who sat where when it happened, for seats are swapped. */
function remember(event, players) {
  events.set(event.version, { event, line: line(event, (seat) => (players[seat] === null ? `座${seat}` : plain(players[seat]))) });
  while (events.size > KEPT) events.delete(Math.min(...events.keys()));
  const kind = kindOf(event);
  if (kind === "hand-scored" || kind === "hand-abandoned") result = latest(result, event.data);
  if (kind === "seed-revealed") seed = latest(seed, event.data);
}

const latest = (one, other) => (one !== null && one.hand >= other.hand ? one : other);

/** What happened shortly before we came; the stream begins with the present. */
async function recall({ version, hand, seats }) {
  let players = seated({ seats });
  try {
    const found = await ask(`/tables/${TABLE}/audit?after=${Math.max(0, version - KEPT)}&limit=${KEPT}`);
    for (const event of found.events.filter((each) => each.version <= version).reverse()) {
      remember(event, players);
      players = seatedBefore(event, players);
    }
    if (hand && !hand.result && hand.number > 1 && result === null) {
      const { version: ended, ...scored } = await ask(`/tables/${TABLE}/hands/${hand.number - 1}/explanation`);
      result = latest(result, scored);
      const after = await ask(`/tables/${TABLE}/audit?after=${ended}&limit=5`);
      const revealed = after.events.find((event) => kindOf(event) === "seed-revealed");
      if (revealed) seed = latest(seed, revealed.data);
    }
  } catch {
    // Not there, or the hand was abandoned: the page goes on with what comes from now on.
  }
  draw();
}

/** Who sat where before an event, from who sat there after it. */
function seatedBefore(event, players) {
  const { data } = event;
  const earlier = [...players];
  const kind = kindOf(event);
  if (kind === "seats-swapped") {
    const [a, b] = data.seats;
    [earlier[a], earlier[b]] = [players[b], players[a]];
  }
  if (kind === "player-seated") earlier[data.seat] = null;
  if (kind === "player-left") earlier[data.seat] = data.player;
  return earlier;
}

async function ask(address) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

function draw() {
  due = false;
  const { hand } = view;
  if (hand?.result) result = hand.result;
  at("version").textContent = view.version;
  const held = hand && hand.plays.length === 0 && before?.hand === hand.number && before.trick === hand.trick - 1 && !hand.result ? before : null;
  drawFacts(hand);
  for (const seat of view.seats) drawSeat(seat, hand, held);
  drawNow(hand);
  drawResult();
  drawLog();
  drawGone(hand);
  drawProof(hand);
}

function fact(zh, en, ...value) {
  return el("li", {}, el("span", { class: "label" }, both(zh, en)), el("span", { class: "value" }, ...value));
}

function drawFacts(hand) {
  const key = hand && [hand.number, view.hands, hand.trick, hand.multiplier, hand.face_up, hand.bombs.length];
  fillOnce(at("facts"), key, () => {
    if (!hand) return [fact("局", "hand", view.hands ? `0 / ${view.hands}` : "–")];
    const bombs = hand.bombs.map((bomb) => el("span", { class: "bombed", title: nameAt(bomb.seat) }, bomb.reading.stars ? stars(bomb.reading.stars) : `${bomb.reading.cards}张`));
    return [
      fact("局", "hand", view.hands ? `${hand.number} / ${view.hands}` : `${hand.number}`),
      fact("轮", "trick", `${hand.trick}`),
      fact("倍数", "multiplier", `×${hand.multiplier}`),
      hand.face_up ? fact("明牌", "face-up", card(hand.face_up.card)) : null,
      fact("炸弹", "bombs", bombs.length ? bombs : "0"),
    ];
  });
}

function drawSeat(seat, hand, held) {
  const node = at(`seat-${seat.seat}`);
  const turn = hand?.turn === seat.seat;
  const leader = hand?.leader === seat.seat ? hand.leader_by : null;
  if (!node.firstElementChild) node.append(el("div", { class: "who" }), el("div", { class: "play" }));
  const [head, table] = node.children;
  node.classList.toggle("turn", turn);
  node.setAttribute("aria-label", `${seat.seat}号位 seat ${seat.seat}${turn ? ",轮到 to move" : ""}`);
  fillOnce(head, [seat, turn, leader], () => who(seat, seat.seat % 2, turn, leader));
  drawPlay(table, seat, hand, held);
}

function who(seat, side, turn, leader) {
  const finish = seat.finish ? el("span", { class: `finish p${seat.finish}` }, both(...place(seat.finish))) : null;
  const contribution = seat.contribution ? el("span", { class: "given" }, both("贡献", "contribution"), ` ${signed(seat.contribution)}`) : null;
  return [
    el(
      "div",
      { class: "line" },
      el("span", { class: `side s${side}`, title: SIDES[side].join(" "), role: "img", "aria-label": SIDES[side].join(" ") }, SIDES[side][0]),
      el("span", { class: "soft number", title: `seat ${seat.seat}` }, `座${seat.seat}`),
      el("span", { class: "name", title: seat.player }, seat.player ?? both("空位", "free")),
      leader ? el("span", { class: "tag", title: leaderWords(leader).join(" ") }, both("首家", "led")) : null,
      turn ? el("span", { class: "tag go" }, both("轮到", "to move")) : null,
      finish,
    ),
    el(
      "div",
      { class: "line" },
      backs(seat.cards),
      el("span", { class: "left" }, both("余", "left"), " ", el("b", {}, `${seat.cards}`)),
      el("span", { class: "score" }, both("总分", "score"), " ", el("b", {}, signed(seat.score))),
      contribution,
    ),
  ];
}

/** What a seat did last in this trick, or in the one that just ended; the cards left when the hand is over. Drawn once, then only marked. */
function drawPlay(box, seat, hand, held) {
  const rest = hand?.result && seat.holding?.length ? seat.holding : null;
  const plays = rest ? [] : ((held ?? hand)?.plays ?? []);
  const play = plays.findLast((each) => each.seat === seat.seat);
  const best = held ? held.winner === seat.seat : play !== undefined && hand.to_beat?.version === play.version;
  box.classList.toggle("best", best);
  box.classList.toggle("held", held !== null);
  fillOnce(box, [rest && hand.number, play?.version], () => {
    if (rest) return [el("span", { class: "words" }, both("剩下的牌", "cards left")), el("span", { class: "rest" }, fan(rest))];
    if (!play) return [];
    if (play.cards.length === 0) return el("span", { class: "pass" }, both("过", "pass"));
    return [fan(play.cards, play.reading), reads(play.reading, el("span", { class: "won" }, both("赢此轮", "won")))];
  });
}

function reads(reading, more = null) {
  const wild = wildWords(reading);
  return el(
    "span",
    { class: `words${isBomb(reading) ? " bomb" : ""}` },
    both(...readingWords(reading)),
    reading.stars ? stars(reading.stars) : null,
    wild ? el("span", { class: "wildly" }, both(...wild)) : null,
    more,
  );
}

function drawNow(hand) {
  const free = view.seats.filter((seat) => seat.player === null).length;
  const key = [view.closed, free, view.seats.map((seat) => seat.player), hand?.number, hand?.turn, hand?.to_beat?.version, hand?.result?.outcome, hand?.result !== null];
  fillOnce(at("now"), key, () => {
    if (view.closed) return el("p", { class: "big" }, both("本桌已结束", "The match is over"));
    if (hand?.result) return ended(hand.result);
    if (hand && hand.turn !== null) return [toMove(hand), toBeat(hand)];
    if (free) return el("p", { class: "big" }, both(`等 ${free} 人入座`, `${free} ${free === 1 ? "seat is" : "seats are"} free`));
    return el("p", { class: "big" }, both("等待发牌", "waiting for the deal"));
  });
}

function ended(scored) {
  if (!scored.outcome) return el("p", { class: "big" }, both(`${scored.player} 逃跑,本局中止`, "the hand was abandoned"));
  return el("p", { class: "big" }, both(OUTCOME[scored.outcome][0], OUTCOME[scored.outcome][1]));
}

function toMove(hand) {
  return el("p", { class: "big" }, el("span", { class: "arrow", "aria-hidden": "true", "data-seat": hand.turn }), el("span", { class: "name" }, nameAt(hand.turn)), both("出牌", "to move"));
}

function toBeat(hand) {
  if (!hand.to_beat) return el("p", {}, both("新一轮,任意牌型", "leads a new trick with any pattern"));
  const { seat, reading } = hand.to_beat;
  return [
    el("p", { class: "soft" }, both("要压", "to beat"), " ", el("span", { class: "name" }, nameAt(seat))),
    el("p", { class: "target" }, reads(reading)),
  ];
}

function drawResult() {
  at("result").hidden = result === null;
  if (result === null) return;
  fillOnce(at("result-body"), [result.hand, result.score], () => (result.outcome ? scoredBody(result) : abandonedBody(result)));
  fillOnce(at("result-title"), result.hand, () => both(`第 ${result.hand} 局结果`, `Result of hand ${result.hand}`));
}

function abandonedBody(data) {
  return [
    el("p", {}, both(`${data.player} 逃跑,本局中止,没有底分。`, `${data.player} left: the hand is abandoned, without base points.`)),
    el("p", { class: "soft" }, both("贡献分", "contribution"), " ", data.players.map((name, seat) => `${name} ${signed(data.contribution[seat])}`).join(", ")),
  ];
}

function scoredBody(data) {
  const order = data.finish;
  const head = [["名次", "place"], ["玩家", "player"], ["底分", "base"], ["倍数", "times"], ["贡献", "contrib."], ["得分", "score"]];
  const rows = order.map((seat, index) =>
    el(
      "tr",
      {},
      el("td", {}, both(...place(index + 1))),
      el("th", { scope: "row" }, el("span", { class: `side s${seat % 2}`, "aria-label": SIDES[seat % 2].join(" "), role: "img" }, SIDES[seat % 2][0]), " ", data.players[seat]),
      el("td", { class: "n" }, signed(data.base[seat])),
      el("td", { class: "n" }, `×${data.multiplier}`),
      el("td", { class: "n" }, signed(data.contribution[seat])),
      el("td", { class: "n sum" }, signed(data.score[seat]), data.coins ? el("span", { class: "coins" }, ` ${data.coins[seat]}币`) : null),
    ),
  );
  return [
    el("p", { class: "outcome" }, both(...OUTCOME[data.outcome])),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head.map((each) => el("th", { scope: "col" }, both(...each))))), el("tbody", {}, rows))),
    why(data),
  ];
}

function why(data) {
  const lines = data.why.map((each) =>
    el(
      "li",
      {},
      el("span", { class: "clause" }, each.clause),
      el("span", {}, each.seat === null ? "" : `${data.players[each.seat]}: `, both(each.zh, each.en), each.play ? el("span", { class: "soft" }, ` (${numbered(each.play)})`) : null),
    ),
  );
  return el("details", {}, el("summary", {}, both("分数的来历", "How the numbers come about")), el("ul", { class: "why" }, lines));
}

const numbered = (version) => `事件 event ${version}`;

function drawLog() {
  const log = at("log");
  const lines = [...events.values()].sort((a, b) => b.event.version - a.event.version);
  const wanted = lines.map((each) => each.line);
  // Keep what is there where it is: only new lines are put in, so that readers and screen readers keep their place.
  for (const child of [...log.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((node, index) => {
    if (log.children[index] !== node) log.insertBefore(node, log.children[index] ?? null);
  });
}

function line(event, who) {
  const [zh, en, cards = []] = eventWords(event, who);
  const time = new Date(event.time);
  return el(
    "li",
    { class: kindOf(event) },
    el("span", { class: "v" }, `${event.version}`),
    el(
      "span",
      { class: "said" },
      el("span", { lang: "zh-Hans" }, zh),
      " ",
      el("span", { class: "en", lang: "en" }, en),
      cards.length ? el("span", { class: "chips" }, cards) : null,
    ),
    el("time", { datetime: event.time }, time.toLocaleTimeString("zh-CN", { hour12: false })),
  );
}

function drawGone(hand) {
  fillOnce(at("gone"), hand && hand.gone, () =>
    ranks().map((rank) => {
      const all = rank === "LJ" || rank === "BJ" ? 2 : 8;
      const gone = hand?.gone[rank] ?? 0;
      const label = `${rankName(rank)}:已出 ${gone} / ${all} played`;
      return el("li", { class: gone === all ? "out" : gone ? "some" : "", role: "img", "aria-label": label }, el("b", {}, rankName(rank)), el("span", {}, `${gone}`, el("small", {}, `/${all}`)));
    }),
  );
}

function drawProof(hand) {
  const shown = hand?.seed ? { hand: hand.number, seed: hand.seed } : seed;
  fillOnce(at("proof"), [hand?.number, hand?.commitment, shown], () => [
    ...(hand ? [el("dt", {}, both(`第 ${hand.number} 局承诺`, `commitment of hand ${hand.number}`)), hash(hand.commitment)] : []),
    ...(hand && !hand.seed ? [el("dt", {}, both(`第 ${hand.number} 局种子`, `seed of hand ${hand.number}`)), el("dd", {}, both("计分后公布", "revealed when it is scored"))] : []),
    ...(shown ? [el("dt", {}, both(`第 ${shown.hand} 局种子(已公布)`, `seed of hand ${shown.hand}, revealed`)), hash(shown.seed)] : []),
  ]);
}

const hash = (text) => el("dd", {}, el("details", {}, el("summary", {}, el("code", {}, `${text.slice(0, 16)}…`)), el("code", { class: "whole" }, text)));

at("aloud").addEventListener("click", (click) => {
  const on = click.currentTarget.getAttribute("aria-pressed") !== "true";
  click.currentTarget.setAttribute("aria-pressed", `${on}`);
  at("log").setAttribute("aria-live", on ? "polite" : "off");
});

follow(TABLE, { message: take, state: (name) => showState(name, ...STATES[name]) });
