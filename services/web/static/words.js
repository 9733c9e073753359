// What events, patterns and results are called, Chinese and English.
import { chip, chips, rankName, rankNameEn, suitName } from "./cards.js";
import { signed } from "./dom.js";

export const PATTERN = {
  single: ["单张", "single"],
  pair: ["对子", "pair"],
  triple: ["三张", "triple"],
  straight: ["顺子", "straight"],
  pair_run: ["连对", "pair run"],
  triple_run: ["连三张", "triple run"],
  full_house: ["三带二", "full house"],
  bomb: ["炸弹", "bomb"],
  chain: ["连炸", "chain"],
  three_jokers: ["三王炸", "three jokers"],
  four_jokers: ["四王炸", "four jokers"],
};
export const OUTCOME = { double: ["双扣", "double"], single: ["单扣", "single"], draw: ["平扣", "draw"] };
export const STATUS = {
  seating: ["等人", "seating"],
  waiting: ["待开局", "waiting"],
  playing: ["进行中", "playing"],
  closed: ["已结束", "closed"],
};
const LEADER_BY = {
  previous: ["上局头名先出", "first of the last hand leads"],
  drawn: ["抽签先出", "leader drawn by lot"],
  face_up: ["得明牌者先出", "the face-up card leads"],
};
const CLOSED = {
  all_hands_played: ["全部局数已打完", "all hands were played"],
  everybody_left: ["玩家全部离席", "everybody left"],
  match_won: ["比赛分出胜负", "the match is won"],
  dissolved: ["全体同意解散", "all agreed to dissolve it"],
};
const DECLARER_BY = {
  declaration: ["亮主者坐庄", "made the last declaration"],
  previous: ["由上局决定", "by the hand before"],
  drawn: ["抽签", "drawn by lot"],
};
const TURNED_BY = {
  level_card: ["翻到级牌", "the first level card"],
  highest_card: ["无级牌,取最大", "no level card: the highest"],
};
export const KIND = {
  single: ["单张", "single"],
  pair: ["对子", "pair"],
  tractor: ["拖拉机", "tractor"],
  throw: ["甩牌", "throw"],
  follow: ["跟牌", "follows suit"],
  trump: ["毙牌", "trumps it"],
  discard: ["垫牌", "discards"],
};
export const PHASE = {
  dealing: ["发牌中", "dealing"],
  declaring: ["亮主", "declaring"],
  burying: ["扣底", "burying"],
  countering: ["反底", "countering"],
  playing: ["出牌", "playing"],
  over: ["已结束", "over"],
};
const BOMBS = new Set(["bomb", "chain", "three_jokers", "four_jokers"]);

/** Whether a reading is one of the bombs. */
export const isBomb = (reading) => BOMBS.has(reading.pattern);

/** First, second, … as words: ["第 1 名", "1st"]. */
export const place = (position) => [`第${position}名`, ["1st", "2nd", "3rd", "4th"][position - 1]];

/** A reading in words, both languages: its pattern, how high and how long. */
export function readingWords(reading) {
  const [zh, en] = PATTERN[reading.pattern];
  const [high, highEn] = [rankName(reading.rank), rankNameEn(reading.rank)];
  switch (reading.pattern) {
    case "single":
    case "pair":
    case "triple":
    case "full_house":
      return [`${zh} ${high}`, `${en}, ${highEn}`];
    case "straight":
      return [`${zh} ${reading.cards}张 到 ${high}`, `${en} of ${reading.cards} up to ${highEn}`];
    case "pair_run":
    case "triple_run":
      return [`${zh} ${reading.groups}连 到 ${high}`, `${en} of ${reading.groups} up to ${highEn}`];
    case "bomb":
      return [`${reading.cards}张${zh} ${high}`, `${en} of ${reading.cards}, ${highEn}`];
    case "chain":
      return [`${zh} ${reading.groups}连 ${reading.cards}张 到 ${high}`, `${en}, ${reading.groups} ranks, ${reading.cards} cards, up to ${highEn}`];
    default:
      return [zh, en];
  }
}

/** What wildcards stood for, or null: ["百搭当 7、8", "wild as 7, 8"]. */
export function wildWords(reading) {
  if (reading.stands_for.length === 0) return null;
  return [`百搭当 ${reading.stands_for.map(rankName).join("、")}`, `wild as ${reading.stands_for.map(rankNameEn).join(", ")}`];
}

/** How the leader of a hand was found. */
export const leaderWords = (by) => LEADER_BY[by] ?? [by, by];

/** A name inside a sentence: one written from right to left, or with marks that turn text around, must not rearrange the rest. */
export const plain = (name) => (/[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/.test(name) ? `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069` : name);

/** A trump suit in words; null is no trump. */
export const trumpName = (trump) => (trump === null ? ["无主", "no trump"] : suitName(trump));

/** A suit of a trump game in words: T are the trumps. */
export const suitWords = (suit) => (suit === "T" ? ["主牌", "trumps"] : suitName(suit));

/** What each player got: "alice +4, bob −4". */
export const given = (players, points) => players.map((name, seat) => `${plain(name)} ${signed(points[seat])}`).join(", ");

/** What events of trump games say. */
const TRUMPS = {
  "deal-begun": (data, who) => [
    `打 ${rankName(data.level)},开始发牌${data.declarer === null ? "" : `,${who(data.declarer)} 坐庄`}`,
    `the deal begins at level ${rankNameEn(data.level)}`,
  ],
  "cards-dealt": (data) => {
    const seen = data.cards.filter((card) => card !== null);
    return [`发牌 ${data.first + data.cards.length}/100`, "cards dealt", seen.map(chip)];
  },
  "trump-declared": (data, who) => [`${who(data.seat)} 亮主:${trumpName(data.trump)[0]}`, `declares ${trumpName(data.trump)[1]}`, data.cards.map(chip)],
  "declaration-declined": (data, who) => [`${who(data.seat)} 不亮`, "declares nothing"],
  "kitty-turned": (data) => [
    `翻底定主:${trumpName(data.trump)[0]}(${TURNED_BY[data.by][0]})`,
    `the kitty makes ${trumpName(data.trump)[1]} trumps: ${TURNED_BY[data.by][1]}`,
    data.cards.map(chip),
  ],
  "declarer-named": (data, who) => [`${who(data.seat)} 坐庄(${DECLARER_BY[data.by][0]})`, `is declarer: ${DECLARER_BY[data.by][1]}`],
  "kitty-taken": (data, who) => [`${who(data.seat)} 拿底牌`, "takes the kitty", (data.cards ?? []).map(chip)],
  "kitty-buried": (data, who) => [`${who(data.seat)} 扣底`, "buries cards", (data.cards ?? []).map(chip)],
  "kitty-countered": (data, who) => [`${who(data.seat)} 反底:${trumpName(data.trump)[0]}`, `counters with ${trumpName(data.trump)[1]}`, data.cards.map(chip)],
  "counter-declined": (data, who) => [`${who(data.seat)} 不反`, "does not counter"],
  "throw-failed": (data, who) => [
    `${who(data.seat)} 甩牌失败,抓分方 ${signed(data.points)}`,
    `the throw fails; the attackers get ${signed(data.points)}`,
    data.cards.map(chip),
  ],
  "cards-played": (data, who) => {
    const left = data.left <= 5 ? [`,余 ${data.left}`, `, ${data.left} left`] : ["", ""];
    return [`${who(data.seat)} ${KIND[data.kind][0]}${left[0]}`, `${KIND[data.kind][1]}${left[1]}`, data.cards.map(chip)];
  },
  "points-taken": (data, who) => [`${who(data.seat)} 赢此轮,${data.points} 分,抓分方共 ${data.attackers}`, `wins the trick of ${data.points}; the attackers have ${data.attackers}`],
  "hand-settled": (data) => [`抓分方 ${data.points} 分:${given(data.players, data.score)}`, `the attackers have ${data.points}: the hand is scored`],
  "level-raised": (data) => [`${"甲乙"[data.side]}方升级 ${rankName(data.before)} → ${rankName(data.after)}`, `side ${"AB"[data.side]} rises to ${rankNameEn(data.after)}`],
  "hand-escaped": (data) => [`${plain(data.player)} 逃跑:${given(data.players, data.score)}`, "left; the hand is void and the leaver pays"],
};

/** What events say. Each gives [Chinese, English, drawn cards]; `who` names a seat. */
const EVENT = {
  "table-opened": (data) => [`开桌:${data.ruleset}`, `table opened: ${data.ruleset}`],
  "player-seated": (data) => [`${plain(data.player)} 坐${data.seat}号位`, `takes seat ${data.seat}`],
  "player-left": (data) => [`${plain(data.player)} 离席`, `leaves the table`],
  "hand-started": (data) => [`第 ${data.hand} 局开始`, `hand ${data.hand} starts`],
  dealt: (data, who) => [`发牌,${who(data.leader)} 先出`, `dealt; ${who(data.leader)} leads`, data.face_up ? [chip(data.face_up.card)] : []],
  "seats-swapped": (data, who) => [`换座:${data.seats.map(who).join(" ⇄ ")}`, `seats swapped: ${data.seats.map(who).join(" and ")}`],
  played: (data, who) => {
    const [zh, en] = readingWords(data.reading);
    const left = data.left <= 5 ? [`,余 ${data.left}`, `, ${data.left} left`] : ["", ""];
    return [`${who(data.seat)} ${zh}${left[0]}`, `${en}${left[1]}`, chips(data.cards, data.reading)];
  },
  passed: (data, who) => [`${who(data.seat)} 过`, "pass"],
  "trick-won": (data, who) =>
    data.caught_wind
      ? [`${who(data.seat)} 赢此轮,${who(data.leads)} 接风`, `trick won; ${who(data.leads)} catches the wind`]
      : [`${who(data.seat)} 赢此轮`, "trick won"],
  "contribution-scored": (data) => [`贡献分 ${data.stars}★:${given(data.players, data.points)}`, "contribution points"],
  finished: (data, who) => [`${who(data.seat)} 走完,${place(data.position)[0]}`, `goes out, ${place(data.position)[1]}`],
  "hand-scored": (data) => [
    `${OUTCOME[data.outcome][0]} ×${data.multiplier}:${given(data.players, data.score)}`,
    `${OUTCOME[data.outcome][1]}: the hand is scored`,
  ],
  "hand-voided": () => ["全体同意解散,本局作废", "all agreed to dissolve: the hand is void"],
  "hand-abandoned": (data) => [`${plain(data.player)} 逃跑,本局中止`, `left; the hand is abandoned`],
  "seed-revealed": (data) => [`公布种子 ${data.seed.slice(0, 12)}…`, "seed revealed"],
  "table-closed": (data) => {
    const [zh, en] = CLOSED[data.reason] ?? [data.reason, data.reason];
    return [`本桌结束:${zh}`, `table closed: ${en}`];
  },
  "seed-committed": (data) => [`第 ${data.hand} 局种子已承诺`, `commitment to the seed of hand ${data.hand}`],
  "salt-given": (data) => [`${plain(data.player)} 加入随机数 ${data.salt}`, "adds to the chance of the next hand"],
  "timed-out": (data) => [`${plain(data.player)} 超时,系统托管`, "is out of time; the table plays for them"],
  "player-returned": (data) => [`${plain(data.player)} 回来了,取消托管`, "is back and plays again"],
  "dissolve-voted": (data) =>
    data.agree ? [`${plain(data.player)} 同意解散`, "wants the table dissolved"] : [`${plain(data.player)} 不同意解散`, "does not; the vote is over"],
  ...TRUMPS,
};

/** The kind of an event: "shuangkou.played.v1" -> "played". */
export const kindOf = (event) => event.type.split(".")[1];

const CLAUSE = {
  "hand-started": "C2.3", dealt: "C2", "seats-swapped": "C2.2", "trick-won": "C5.2", "contribution-scored": "C6.3", finished: "C5.3",
  "hand-scored": "C6.5", "hand-abandoned": "C5.5", "hand-voided": "C5.5", "deal-begun": "T1.1", "cards-dealt": "T2.1", "kitty-turned": "T2.5",
  "declarer-named": "T1.5", "kitty-taken": "T3.1", "points-taken": "T6.5", "hand-settled": "T7.4", "level-raised": "T7.4", "hand-escaped": "T8",
};

/** The clause by which an event follows that nobody chose, or null. */
export const clauseOf = (event) => CLAUSE[kindOf(event)] ?? null;

/** An event in words; one that this page does not know yet is named. */
export function eventWords(event, who) {
  const kind = kindOf(event);
  const words = EVENT[kind];
  return words ? words(event.data, who) : [kind, kind];
}

/** What a table was opened with, in words: [zh, en] for each option that says something. */
export function optionWords({ family, options }) {
  const { hands, coins, level, turn_seconds: seconds, delayed, deal_step: step, deal_pace: pace, fee } = options;
  return [
    hands && [`共 ${hands} 局`, `${hands} hands`],
    coins && [`游戏币:每分 ${coins.factor},台费 ${coins.fee},系数 ${coins.correction}`, `coins: ${coins.factor} a point, fee ${coins.fee}, correction ${coins.correction}`],
    level && [`从 ${level} 打起`, `begins at level ${level}`],
    seconds && [`每步 ${seconds} 秒`, `${seconds} s a move`],
    options.partner_after_out && ["走完后看对家的牌", "who is out sees the partner's cards"],
    delayed && (delayed === "hand" ? ["一局打完后可看明牌", "all cards for spectators after the hand"] : [`旁观者延后 ${delayed} 个事件看明牌`, `all cards for spectators ${delayed} events late`]),
    options.salts && ["玩家可加入洗牌", "players add to the shuffle"],
    family === "trumps" && [`每次发 ${step} 张,间隔 ${pace} 毫秒`, `${step} cards dealt every ${pace} ms`],
    Number(fee) > 0 && [`每局台费 ${fee}`, `fee of ${fee} a hand`],
  ].filter(Boolean);
}
