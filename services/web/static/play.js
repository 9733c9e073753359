// A seat at a table: the own cards, what can be done with them now, and what the others do.
import { ask, Refused, send } from "./api.js";
import { chips } from "./cards.js";
import { drawFacts, makeBoard, waiting } from "./board.js";
import { clock, left } from "./clock.js";
import { both, el, fill, fillOnce, showState } from "./dom.js";
import { drawGone } from "./gone.js";
import { Holding } from "./holding.js";
import { watchTable } from "./live.js";
import { drawLog } from "./log.js";
import { resultBody } from "./result.js";
import { bearer, fragment, keepToken, tokenFor } from "./session.js";
import { sure } from "./sure.js";
import { plain, readingWords, trumpName } from "./words.js";

const TABLE = document.getElementById("play-page").dataset.table;
const ADDRESS = `/tables/${encodeURIComponent(TABLE)}`;
const TRIES = 4; // times a command is sent when no answer comes; the key makes sure it is recorded once
const KITTY = 8; // cards to bury (T3.1)
const PATIENCE = 5000; // ms that a command's events may take to come
const SOON = 10; // seconds on the clock at which a player is told
const TITLE = document.title;
const at = (id) => document.getElementById(id);
const STATES = {
  live: ["已连接", "live"],
  reconnecting: ["重新连接…", "reconnecting…"],
  closed: ["本桌已结束", "match over"],
  missing: ["牌桌不存在", "no such table"],
  refused: ["令牌无效", "the token is not valid here"],
  fault: ["本桌记录有误,请联系管理员", "the record has a fault; ask the operator"],
};

const board = makeBoard(at("board"), { hideOwn: true });
const holding = new Holding(at("hand"), { changed: picked, key: pressed });
let token = null;
let watching = null;
let view = null;
let me = null; // the own seat
let busy = false;
let due = false;
let options = { version: null, found: null, next: 0 }; // what may be done now, as the service lists it
const arrivals = []; // what waits for the next event
let warned = null; // the clock that was told to be running out
let shown = { version: null, moment: null }; // of the view that is drawn
let about = null; // the moment that what was said last is about

// Coming in

function begin() {
  token = tokenFor(TABLE);
  watching?.stop();
  options = { version: null, found: null, next: 0 };
  const here = token !== null && bearer(token).role === "player";
  at("gate").hidden = here;
  at("play-page").hidden = !here;
  if (!here) {
    showState("closed", "未入座", "no seat");
    if (token !== null) refuseToken({ zh: "这不是座位令牌。", en: "This is not the token of a seat." });
    return;
  }
  watching = watchTable(TABLE, { token }, { changed, state });
}

function state(name, problem = null) {
  showState(name, ...STATES[name]);
  if (name === "refused") refuseToken({ zh: problem?.detail_zh ?? STATES.refused[0], en: problem?.detail ?? STATES.refused[1] });
}

function refuseToken({ zh, en }) {
  keepToken(TABLE, null);
  at("gate").hidden = false;
  at("play-page").hidden = true;
  at("gate-said").hidden = false;
  fill(at("gate-said"), both(zh, en));
}

at("gate").addEventListener("submit", (submit) => {
  submit.preventDefault();
  keepToken(TABLE, at("token").value);
  at("token").value = "";
  at("gate-said").hidden = true;
  begin();
});
addEventListener("hashchange", () => fragment().has("token") && begin());

// What happens

function changed(live, event) {
  view = live.view;
  for (const arrived of arrivals.splice(0)) arrived();
  me = /^[0-3]$/.test(view.viewer) ? Number(view.viewer) : null;
  if (event !== null) tell(live.events.get(event.version)?.words);
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

function tell(words) {
  if (!words) return;
  const [zh, en, cards = []] = words;
  fill(at("told"), both(zh, en), cards.length ? el("span", { class: "chips" }, cards.map((card) => card.cloneNode(true))) : null);
}

function draw() {
  due = false;
  const { before, result, events } = watching.live;
  const { hand } = view;
  const turn = myTurn();
  at("version").textContent = view.version;
  shown = { version: view.version, moment: moment() };
  if (about !== shown.moment) {
    fill(at("hinted"));
    at("refusal").hidden = true;
  }
  if (!at("told").childElementCount) tell(events.get(view.version)?.words);
  document.title = turn ? `● 轮到你 ${TITLE}` : TITLE;
  document.body.classList.toggle("my-turn", turn);
  drawFacts(at("facts"), view);
  board(view, { before, own: me ?? 0 });
  const cards = me === null ? [] : (view.seats[me].holding ?? []);
  holding.draw(hand?.result ? [] : cards, hand ?? { family: "climbing" });
  fillOnce(at("clock"), [turn, view.clock], () => (turn && view.clock ? clock(view.clock) : []));
  drawCall();
  drawActions();
  at("ways-out").hidden = view.closed || me === null;
  drawEnd(hand?.result ?? result);
  if (hand && at("to-desk")) at("to-desk").href = `/disputes#table=${encodeURIComponent(TABLE)}&hand=${hand.number}`;
  drawGone(at("gone"), hand);
  drawLog(at("log"), events);
  if (mayChoose()) look();
}

/** Whether the table waits for this seat. */
const myTurn = () => me !== null && waiting(view).includes(me);

/** What a player decides on: as long as it is the same, nothing that happens changes what a decision means. */
function moment() {
  const { hand } = view;
  const own = hand && myTurn() ? [hand.trick, hand.plays.length, hand.declared] : null;
  return JSON.stringify([view.closed, hand && [hand.number, hand.phase, hand.result !== null], own]);
}

/** Say something below the cards. It goes with the moment that it is about. */
function say(zh, en) {
  about = moment();
  fill(at("hinted"), both(zh, en));
}

/** Whether a hand is being played. */
const underWay = () => Boolean(view?.hand && !view.hand.result);

/** Whether there is something to show beside cards: declarations and counters, which the service lists. */
const mayChoose = () => view.hand?.family === "trumps" && !view.hand.result && (view.hand.phase === "dealing" || (myTurn() && ["declaring", "countering"].includes(view.hand.phase)));

function drawEnd(result) {
  at("result").hidden = result === null;
  if (result === null) return;
  fillOnce(at("result-body"), [result.hand, result.score ?? null], () => resultBody(result, (event) => `/replay/${encodeURIComponent(TABLE)}#e=${event}`));
  fillOnce(at("result-title"), result.hand, () => both(`第 ${result.hand} 局结果`, `Result of hand ${result.hand}`));
}

/** What calls for an answer: the table plays for this seat, somebody wants to dissolve, the clock runs out. */
function drawCall() {
  const own = me === null ? null : view.seats[me];
  const asking = view.seats.filter((seat) => seat.vote);
  const open = !view.closed && own !== null && (own.away || (asking.length > 0 && !own.vote));
  at("call").hidden = !open;
  if (!open) return;
  fillOnce(at("call"), [own.away, asking.map((seat) => seat.player)], () =>
    own.away
      ? [both("系统正在替您出牌(托管)。", "The table plays for you."), button("回来", "I am back", () => act("returns", null, { any: true }), "button")]
      : [
          both(`${asking.map((seat) => plain(seat.player)).join("、")} 提议解散本桌。`, "wants the table dissolved."),
          button("同意", "agree", () => act("dissolution", { agree: true }, { any: true }), "button"),
          button("不同意", "refuse", () => act("dissolution", { agree: false }, { any: true })),
        ],
  );
}

setInterval(() => {
  for (const arrived of arrivals.splice(0)) arrived();
  const running = view?.clock;
  if (!running || !myTurn() || warned === running.since || left(running) > SOON || running.seconds <= SOON) return;
  warned = running.since;
  say(`还剩 ${SOON} 秒`, `${SOON} seconds left`);
}, 1000);

// What can be done

/** The second click of a double one was meant for the button that the first one pressed, not for what has come in its place. */
function single(click) {
  if (click.detail > 1 && !click.target.closest("#hint, #clear")) click.stopPropagation();
}
for (const id of ["actions", "call"]) at(id).addEventListener("click", single, { capture: true });

function button(zh, en, does, kind = "quiet", more = {}) {
  const node = el("button", { type: "button", class: kind, ...more }, both(zh, en));
  node.addEventListener("click", does);
  return node;
}

function drawActions() {
  const { hand } = view;
  for (const each of at("call").querySelectorAll("button")) each.disabled = busy;
  const found = mayChoose() && options.version === view.version ? options.found : null;
  const key = [busy, view.closed, me, view.commitment, view.salts && me !== null && view.salts[me], hand && [hand.number, hand.phase ?? null, hand.result !== null, myTurn(), hand.family === "climbing" && hand.to_beat !== null], view.seats.every((seat) => seat.player !== null), found?.options?.map((each) => each.cards), found?.may_decline];
  if (fillOnce(at("actions"), key, () => actions(found))) label(holding.picked);
}

function actions(found) {
  const { hand } = view;
  if (view.closed || me === null) return [el("a", { class: "button", href: `/replay/${encodeURIComponent(TABLE)}` }, both("看回放", "see the replay"))];
  if (!hand || hand.result) return between();
  if (hand.family === "trumps" && hand.phase !== "playing" && hand.phase !== "burying") return bidding(found);
  if (!myTurn()) return [el("p", { class: "soft" }, both("等别家。可先选牌。", "Others are to move. You may pick cards already."))];
  const [zh, en, does] = hand.phase === "burying" ? ["扣底", "bury", bury] : ["出牌", "play", play];
  return [
    button(zh, en, does, "button main", { id: "do", disabled: true }),
    hand.family === "climbing" ? button("过", "pass", pass, "quiet", { id: "pass", disabled: busy || hand.to_beat === null }) : null,
    button("提示", "hint", hint, "quiet", { id: "hint", disabled: busy }),
    button("清除", "clear", () => holding.pick([]), "quiet", { id: "clear" }),
  ];
}

/** Between hands: the next one, and what players may add to its chance. */
function between() {
  if (view.seats.some((seat) => seat.player === null)) return [el("p", { class: "soft" }, both("等人入座。", "Waiting for players."))];
  const salt = view.salts !== null && view.commitment && view.salts[me] === undefined ? saltForm() : null;
  return [button("开始下一局", "start the next hand", () => act("hands", null), "button main", { id: "start", disabled: busy }), salt];
}

function saltForm() {
  const field = el("input", { type: "text", maxlength: "64", pattern: "[!-~]{1,64}", "aria-label": "随机数 a text of your own", placeholder: "任意字母数字 any text", autocomplete: "off" });
  const form = el("form", { class: "salt" }, field, el("button", { class: "quiet" }, both("加入洗牌", "add to the shuffle")));
  form.addEventListener("submit", (submit) => {
    submit.preventDefault();
    if (field.value.trim()) act("salts", { salt: field.value.trim() }, { any: true });
  });
  return form;
}

/** Declaring and countering: one button for each thing that can be shown, and one to decline. */
function bidding(found) {
  const countering = view.hand.phase === "countering";
  if (countering && !myTurn()) return [el("p", { class: "soft" }, both("等别家反底。", "Others may counter."))];
  const path = countering ? "counters" : "declarations";
  const shown = (found?.options ?? []).map((each) => {
    const [zh, en] = trumpName(each.trump);
    const node = el("button", { type: "button", class: "quiet declare", disabled: busy, title: `${each.zh} ${each.en}` }, both(countering ? `反 ${zh}` : `亮 ${zh}`, en), el("span", { class: "chips" }, chips(each.cards)));
    node.addEventListener("click", () => act(path, { cards: each.cards }, { any: !countering }));
    return node;
  });
  const decline = myTurn() ? button(countering ? "不反" : "不亮", "decline", () => act(path, { cards: "" }, { any: !countering }), "button main", { id: "decline", disabled: busy }) : null;
  if (!shown.length && !decline) return [el("p", { class: "soft" }, both(view.hand.phase === "dealing" ? "发牌中,有级牌时可亮主。" : "您已不亮,等别家。", view.hand.phase === "dealing" ? "Cards are being dealt; you may declare when you hold a level card." : "You declined; waiting for the others."))];
  return [...shown, decline];
}

/** Ask what may be done now, once for each version. */
async function look() {
  const { version } = view;
  if (options.version === version) return options.found;
  options = { version, found: null, next: 0 };
  try {
    const found = await ask(`${ADDRESS}/options?limit=100`, token);
    if (options.version === version) options.found = found;
    if (view.version === version) drawActions();
    return found;
  } catch {
    if (options.version === version) options.version = null;
    return null;
  }
}

async function hint() {
  if (busy || !myTurn()) return;
  const before = holding.picked.join();
  const found = options.version === view.version && options.found ? options.found : await look();
  if (!found || options.version !== view.version) return; // none, or the table went on while they were asked for
  if (busy || holding.picked.join() !== before) return; // the player went on
  if (!found.options.length) {
    say("没有能压的牌,可以过。", "Nothing of yours beats it; pass.");
    return;
  }
  const option = found.options[options.next % found.options.length];
  options.next += 1;
  holding.pick(option.cards);
  const [zh, en] = option.reading ? readingWords(option.reading) : [option.zh, option.en];
  say(`提示 ${((options.next - 1) % found.options.length) + 1}/${found.total ?? found.options.length}:${zh}`, en);
}

function picked(cards) {
  at("refusal").hidden = true;
  label(cards);
}

/** Let the main button say how many cards it is about. */
function label(cards) {
  const main = at("do");
  if (!main) return;
  const burying = view.hand.phase === "burying";
  main.disabled = busy || (burying ? cards.length !== KITTY : cards.length === 0);
  const count = burying ? ` ${cards.length}/${KITTY}` : cards.length ? ` ${cards.length}` : "";
  fill(main, both(`${burying ? "扣底" : "出牌"}${count}`, burying ? "bury" : "play"));
}

function pressed(key) {
  if (key === "enter") at("do")?.click();
  if (key === "escape") holding.pick([]);
  if (key === "hint") hint();
  if (key === "pass") at("pass")?.click();
}

const play = () => act("plays", { cards: holding.picked });
const bury = () => act("burials", { cards: holding.picked });
const pass = () => act("passes", null);

/** A key of a command that no other has. */
const freshKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Send a command, decided on what is shown, and say what came of it. `any`: it holds at whatever version, since others may go on meanwhile. */
async function act(path, body, { any = false } = {}) {
  if (busy) return false;
  busy = true;
  at("refusal").hidden = true;
  drawActions();
  try {
    const answer = await sendSafely(path, body, { key: freshKey(), version: any ? undefined : shown.version }, shown.moment);
    fill(at("hinted"));
    await reached(answer.version);
    return true;
  } catch (problem) {
    fill(at("hinted"));
    if (path === "hands" && underWay()) return true; // somebody else was quicker
    refuse(problem instanceof Refused ? problem : new Refused(0, {}));
    return false;
  } finally {
    busy = false;
    drawActions();
  }
}

/** Wait until the page shows what a command made happen, so that nothing is asked of a table that is gone; not for ever. */
async function reached(version) {
  for (const until = Date.now() + PATIENCE; view.version < version && Date.now() < until; ) await new Promise((done) => arrivals.push(done));
}

/** The same command with the same key until an answer comes; also at a later version, when what happened until then leaves the moment as it was. */
async function sendSafely(path, body, how, meant) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(`${ADDRESS}/${path}`, token, body, how);
    } catch (problem) {
      if (problem.rule === "stale_version") await reached(problem.version);
      if (attempt < TRIES && problem.rule === "stale_version" && moment() === meant) {
        how.version = view.version;
        continue;
      }
      if (attempt === TRIES || ![0, 502, 503, 504].includes(problem.status)) throw problem;
      say("没有响应,正在重发…", "no answer; sending it again…");
      await new Promise((done) => setTimeout(done, 700 * attempt));
    }
  }
}

function refuse({ zh, en, clause }) {
  about = moment();
  at("refusal").hidden = false;
  fill(at("refusal"), both(zh, en), clause ? el("span", { class: "clause" }, clause) : null);
}

// Leaving and dissolving

at("leave").addEventListener("click", async () => {
  let running;
  do {
    running = underWay();
    const words = running ? ["本局将因逃跑而中止,并按规则计分。", "The hand being played ends, and it counts as the rules say."] : ["您的座位会空出来。", "Your seat becomes free."];
    if (!(await sure(["离开牌桌?", "Leave the table?"], words, ["离开", "leave"]))) return;
  } while (running !== underWay()); // what was agreed to is not so any more
  if (await act("leave", null, { any: true })) {
    keepToken(TABLE, null);
    location.assign(`/watch/${encodeURIComponent(TABLE)}`);
  }
});
at("dissolve").addEventListener("click", async () => {
  if (await sure(["提议解散本桌?", "Ask to dissolve the table?"], ["全体同意后,本局作废,比赛结束。", "When all agree, the hand is void and the match is over."], ["提议", "ask"])) act("dissolution", { agree: true }, { any: true });
});

begin();
