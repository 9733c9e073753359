// Four seats around a table: who sits there, what they did last, what they hold where one may see it, and what happens now.
import { backs, card, fan, pieces, rankName, rankNameEn, shape, stars } from "./cards.js";
import { clock } from "./clock.js";
import { both, el, fillOnce, signed } from "./dom.js";
import { bySuit, suitOf } from "./trumps.js";
import { isBomb, KIND, leaderWords, OUTCOME, PHASE, place, readingWords, suitWords, trumpName, wildWords } from "./words.js";

const SIDES = [["甲", "side A"], ["乙", "side B"]];
const PLACES = ["bottom", "right", "top", "left"];

/** The mark of a side. */
export const sideMark = (seat) => el("span", { class: `side s${seat % 2}`, title: SIDES[seat % 2].join(" "), role: "img", "aria-label": SIDES[seat % 2].join(" ") }, SIDES[seat % 2][0]);

/** The seats that are to act in a view. */
export function waiting(view) {
  const { hand } = view;
  if (!hand || hand.result) return [];
  if (hand.family === "trumps") return hand.waiting;
  return hand.turn === null ? [] : [hand.turn];
}

const nameAt = (view, seat) => view.seats[seat].player ?? `座${seat}`;

/** A trump suit with its sign; null is no trump. */
export function trumpSign(trump) {
  const [zh, en] = trumpName(trump);
  return el("span", { class: `trump ${trump === "H" || trump === "D" ? "red" : ""}` }, shape(trump ?? "joker"), both(zh, en));
}

/** Make the seats and the middle inside `root`. `own`: whose seat is at the bottom. Gives a function that draws a view:
 * draw(view, {before, going}); `before` is the trick that just ended, `going` false stops the clock (in a replay). */
export function makeBoard(root, { hideOwn = false } = {}) {
  const seats = [0, 1, 2, 3].map((seat) => el("article", { class: "seat", id: `seat-${seat}` }, el("div", { class: "who" }), el("div", { class: "play" }), el("div", { class: "holding" })));
  const now = el("div", { class: "now", id: "now" });
  root.replaceChildren(...seats, now);
  return function draw(view, { before = null, own = 0, going = true } = {}) {
    const { hand } = view;
    const held = hand && !hand.result && hand.plays.length === 0 && before?.hand === hand.number && before.trick === hand.trick - 1 ? before : null;
    for (const seat of view.seats) {
      const node = seats[seat.seat];
      const at = PLACES[(seat.seat - own + 4) % 4];
      if (node.dataset.at !== at) node.dataset.at = at;
      drawSeat(node, view, seat, { held, going, hidden: hideOwn && seat.seat === own });
    }
    drawNow(now, view, own, hideOwn);
  };
}

function drawSeat(node, view, seat, { held, going, hidden }) {
  const { hand } = view;
  const turn = waiting(view).includes(seat.seat);
  const [head, table, holding] = node.children;
  node.classList.toggle("turn", turn);
  node.classList.toggle("away", seat.away);
  node.setAttribute("aria-label", `${seat.seat}号位 seat ${seat.seat}: ${seat.player ?? "空 free"}${turn ? ",轮到 to move" : ""}`);
  const running = turn && going ? view.clock : null;
  const marks = marksOf(view, seat);
  const { holding: cards, ...rest } = seat;
  fillOnce(head, [rest, turn, running, marks.map(([zh]) => zh)], () => who(seat, { turn, running, marks }));
  drawPlay(table, view, seat, held);
  const shown = !hidden && cards !== null && cards.length ? cards : null;
  const [level, trump] = trumpsOf(hand);
  fillOnce(holding, [shown, level, trump, hand?.result !== null], () =>
    shown ? [hand?.result ? el("span", { class: "words" }, both("剩下的牌", "cards left")) : null, small(shown, hand, level, trump)] : [],
  );
}

/** The level and the trumps that sort the cards of a hand. */
export const trumpsOf = (hand) => (hand?.family === "trumps" ? [hand.level, hand.trump_known ? hand.trump : null] : [null, null]);

/** Cards of a holding, small, high cards first. */
export function small(cards, hand, level, trump) {
  const groups = hand?.family === "trumps" ? bySuit(cards, level, trump).map(([, held]) => held) : [[...cards].reverse()];
  return el("span", { class: "minis" }, groups.map((group) => el("span", { class: "mini-group" }, group.map((each) => card(each)))));
}

/** What else a seat is: [zh, en, class] each. */
function marksOf(view, seat) {
  const { hand } = view;
  const marks = [];
  if (hand?.family === "climbing" && hand.leader === seat.seat) marks.push(["首家", "led", "", leaderWords(hand.leader_by).join(" ")]);
  if (hand?.family === "trumps") {
    if (hand.declarer === seat.seat) marks.push(["庄", "declarer", "declarer"]);
    if (hand.failed[seat.seat]) marks.push([`甩败 ${hand.failed[seat.seat]}`, "failed throws", "bad"]);
  }
  if (seat.away) marks.push(["托管", "away", "bad"]);
  if (seat.vote) marks.push(["同意解散", "dissolve", "bad"]);
  return marks;
}

function who(seat, { turn, running, marks }) {
  const finish = seat.finish ? el("span", { class: `finish p${seat.finish}` }, both(...place(seat.finish))) : null;
  const contribution = seat.contribution ? el("span", { class: "given" }, both("贡献", "contribution"), ` ${signed(seat.contribution)}`) : null;
  return [
    el(
      "div",
      { class: "line" },
      sideMark(seat.seat),
      el("span", { class: "soft number", title: `seat ${seat.seat}` }, `座${seat.seat}`),
      el("span", { class: "name", title: seat.player }, seat.player ?? both("空位", "free")),
      marks.map(([zh, en, kind = "", title = null]) => el("span", { class: `tag ${kind}`, title }, both(zh, en))),
      turn ? el("span", { class: "tag go" }, both("轮到", "to move"), running ? clock(running) : null) : null,
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

/** What a seat did last in this trick, or in the one that just ended. Drawn once, then only marked. */
function drawPlay(box, view, seat, held) {
  const { hand } = view;
  const plays = hand?.result ? [] : ((held ?? hand)?.plays ?? []);
  const index = plays.findLastIndex((each) => each.seat === seat.seat);
  const play = plays[index];
  box.classList.toggle("best", held ? held.winner === seat.seat : play !== undefined && isBest(hand, play, index));
  box.classList.toggle("held", held !== null);
  const shown = !play && hand?.family === "trumps" && hand.phase !== "playing" && !hand.result && hand.declared?.seat === seat.seat ? hand.declared : null;
  fillOnce(box, [hand?.number, play?.version, shown], () => {
    if (shown) return [pieces([shown.cards]), el("span", { class: "words" }, both("亮主", "declared"), trumpSign(shown.trump))];
    if (!play) return [];
    if (play.cards.length === 0) return el("span", { class: "pass" }, both("过", "pass"));
    const won = el("span", { class: "won" }, both("赢此轮", "won"));
    if (hand.family === "trumps") {
      const groups = bySuit(play.cards, hand.level, hand.trump).map(([, cards]) => cards);
      return [pieces(groups), el("span", { class: "words" }, both(...KIND[play.kind]), won)];
    }
    return [fan(play.cards, play.reading), reads(play.reading, won)];
  });
}

function isBest(hand, play, index) {
  return hand.family === "trumps" ? hand.winning === index : hand.to_beat?.version === play.version;
}

/** A reading in words, with its stars and what wildcards stood for. */
export function reads(reading, more = null) {
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

function drawNow(node, view, own, you) {
  const { hand } = view;
  const key = [view.closed, view.seats.map((seat) => [seat.player, seat.vote]), hand && { ...hand, gone: null, commitment: null }, own];
  fillOnce(node, key, () => [...middle(view, { own, you }), votes(view)]);
}

/** `own` is the seat at the bottom; `you` says that it is the reader's. */
function middle(view, reader) {
  const { hand } = view;
  const free = view.seats.filter((seat) => seat.player === null).length;
  if (view.closed) return [big(both("本桌已结束", "The match is over"))];
  if (hand?.result) return [big(both(...endWords(hand.result)))];
  if (hand?.family === "trumps") return inTrumps(view, reader);
  if (hand && hand.turn !== null) return [toMove(view, hand.turn, reader, ["出牌", "to move"]), ...toBeat(view)];
  if (free) return [big(both(`等 ${free} 人入座`, `${free} ${free === 1 ? "seat is" : "seats are"} free`))];
  return [big(both("等待发牌", "waiting for the deal"))];
}

const big = (...words) => el("p", { class: "big" }, ...words);

/** How a hand ended, in a few words. */
export function endWords(result) {
  if ("outcome" in result) return OUTCOME[result.outcome];
  if ("kitty_points" in result) return result.take_over ? [`抓分方 ${result.points} 分,上台`, `attackers ${result.points}: they take over`] : [`抓分方 ${result.points} 分,庄家守住`, `attackers ${result.points}: the declarers keep it`];
  if ("reason" in result) return ["解散,本局作废", "dissolved: the hand is void"];
  if ("most" in result) return [`${result.player} 逃跑`, `${result.player} left`];
  return [`${result.player} 逃跑,本局中止`, "the hand was abandoned"];
}

function toMove(view, seat, { own, you }, words) {
  const name = you && seat === own ? both("轮到你", "you") : el("span", { class: "name" }, nameAt(view, seat));
  return big(el("span", { class: "arrow", "aria-hidden": "true", "data-to": PLACES[(seat - own + 4) % 4] }), name, both(...words));
}

function toBeat(view) {
  const { to_beat: best } = view.hand;
  if (!best) return [el("p", {}, both("新一轮,任意牌型", "leads a new trick with any pattern"))];
  return [el("p", { class: "soft" }, both("要压", "to beat"), " ", el("span", { class: "name" }, nameAt(view, best.seat))), el("p", { class: "target" }, reads(best.reading))];
}

function inTrumps(view, reader) {
  const { hand } = view;
  const phase = PHASE[hand.phase];
  if (hand.phase === "dealing") return [big(both(...phase), " ", el("b", {}, `${hand.dealt}/100`)), inForce(view)];
  if (hand.phase === "declaring") {
    const names = hand.waiting.map((seat) => nameAt(view, seat)).join("、");
    return [big(both("亮主或不亮", "declare or decline")), el("p", { class: "soft" }, both("等", "waiting for"), " ", el("span", { class: "name" }, names)), inForce(view)];
  }
  if (hand.turn === null) return [big(both(...phase))];
  if (hand.phase === "burying") return [toMove(view, hand.turn, reader, ["扣底", "buries 8 cards"]), inForce(view)];
  if (hand.phase === "countering") return [toMove(view, hand.turn, reader, ["反底?", "may counter"]), inForce(view)];
  const led = hand.plays[0];
  if (!led) return [toMove(view, hand.turn, reader, ["首出", "leads"])];
  const suit = suitWords(suitOf(led.cards[0], hand.level, hand.trump));
  const [zh, en] = KIND[led.kind];
  const long = led.cards.length > 2;
  return [
    toMove(view, hand.turn, reader, ["跟牌", "to follow"]),
    el("p", { class: "target" }, both(`${suit[0]} ${zh}${long ? ` ${led.cards.length}张` : ""}`, `${en}${long ? ` of ${led.cards.length}` : ""}, ${suit[1]}`)),
    hand.winning === null ? null : el("p", { class: "soft" }, both("现最大", "winning"), " ", el("span", { class: "name" }, nameAt(view, hand.plays[hand.winning].seat))),
  ];
}

function inForce(view) {
  const { declared, turned } = view.hand;
  if (declared) return el("p", { class: "target" }, both("主", "trumps"), " ", trumpSign(declared.trump), " ", el("span", { class: "name" }, nameAt(view, declared.seat)));
  if (turned) return el("p", { class: "target" }, both("翻底定主", "by the kitty"), " ", trumpSign(turned.trump));
  return el("p", { class: "soft" }, both("尚无人亮主", "nothing is declared yet"));
}

function votes(view) {
  const agreed = view.seats.filter((seat) => seat.vote);
  if (!agreed.length) return null;
  const sitting = view.seats.filter((seat) => seat.player !== null).length;
  return el("p", { class: "vote" }, both(`解散表决 ${agreed.length}/${sitting}`, `${agreed.length} of ${sitting} want it dissolved`));
}

const fact = (zh, en, ...value) => el("li", {}, el("span", { class: "label" }, both(zh, en)), el("span", { class: "value" }, ...value));

/** The facts of a hand in a row. */
export function drawFacts(node, view) {
  const { hand } = view;
  const key = [view.hands, view.levels, view.clock?.seconds, hand && { ...hand, gone: null, turn: null, waiting: null, plays: hand.plays.length && hand.trick }];
  fillOnce(node, key, () => {
    const number = hand ? hand.number : view.hands ? 0 : "–";
    const first = fact("局", "hand", view.hands ? `${number} / ${view.hands}` : `${number}`);
    if (!hand) return [first];
    return [first, hand.result ? null : fact("轮", "trick", `${hand.trick}`), ...(hand.family === "trumps" ? factsOfTrumps(view) : factsOfClimbing(view))];
  });
}

function factsOfClimbing(view) {
  const { hand } = view;
  const bombs = hand.bombs.map((bomb) => el("span", { class: "bombed", title: nameAt(view, bomb.seat) }, bomb.reading.stars ? stars(bomb.reading.stars) : `${bomb.reading.cards}张`));
  return [
    fact("倍数", "multiplier", `×${hand.multiplier}`),
    hand.face_up ? fact("明牌", "face-up", card(hand.face_up.card)) : null,
    fact("炸弹", "bombs", bombs.length ? bombs : "0"),
  ];
}

function factsOfTrumps(view) {
  const { hand } = view;
  const levels = ["甲", "乙"].map((side, index) => `${side} ${rankName(hand.levels[index])}`).join(" · ");
  return [
    fact("打", "level", el("span", { title: rankNameEn(hand.level) }, rankName(hand.level))),
    fact("主", "trumps", hand.trump_known ? trumpSign(hand.trump) : both("未定", "open")),
    hand.declarer === null ? null : fact("庄家", "declarer", sideMark(hand.declarer), el("span", { class: "name" }, nameAt(view, hand.declarer))),
    fact("抓分", "attackers", el("b", { class: "points" }, `${hand.attackers}`)),
    fact("级数", "levels", levels),
    hand.kitty ? fact("底牌", "kitty", small(hand.kitty, hand, ...trumpsOf(hand))) : null,
    hand.turned ? fact("翻底", "turned", small(hand.turned.cards, null)) : null,
  ];
}
