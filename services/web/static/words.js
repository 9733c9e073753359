// What events, patterns and results are called, Chinese and English.
import { chip, chips, rankName, rankNameEn } from "./cards.js";
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

/** What each player got: "alice +4, bob −4". */
const given = (players, points) => players.map((name, seat) => `${plain(name)} ${signed(points[seat])}`).join(", ");

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
  "hand-abandoned": (data) => [`${plain(data.player)} 逃跑,本局中止`, `left; the hand is abandoned`],
  "seed-revealed": (data) => [`公布种子 ${data.seed.slice(0, 12)}…`, "seed revealed"],
  "table-closed": (data) => {
    const [zh, en] = CLOSED[data.reason] ?? [data.reason, data.reason];
    return [`本桌结束:${zh}`, `table closed: ${en}`];
  },
};

/** The kinds of events there are. */
export const KINDS = Object.keys(EVENT);

/** The kind of an event: "shuangkou.played.v1" -> "played". */
export const kindOf = (event) => event.type.split(".")[1];

/** An event in words; one that this page does not know yet is named. */
export function eventWords(event, who) {
  const kind = kindOf(event);
  const words = EVENT[kind];
  return words ? words(event.data, who) : [kind, kind];
}
