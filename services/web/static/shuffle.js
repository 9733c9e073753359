// The shuffle of a hand computed again in this browser, from what was published: the words and numbers of domain/shuffle.py.
// A seed is 64 hexadecimal digits; numbers come from HMAC-SHA256 keyed with it, over labels that name table, hand and purpose.
import { ranks } from "./cards.js";

const encoder = new TextEncoder();
const CARDS = [...ranks().slice(0, 13).flatMap((rank) => ["S", "H", "C", "D"].map((suit) => rank + suit)), "LJ", "BJ"];
const PACK = CARDS.flatMap((card) => [card, card]);
const DEALT_OF_TRUMPS = 100; // cards before the kitty (T2.1)

const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether this browser can compute it: only on https, or on the machine itself. */
export const canCompute = () => globalThis.crypto?.subtle !== undefined;

async function keyed(seed) {
  const key = await crypto.subtle.importKey("raw", unhex(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(message)));
}

/** What is published of a seed before the deal. */
export async function commitment(seed, table, hand) {
  return hex(await (await keyed(seed))(`shuangkou/commitment/1|${table}|${hand}`));
}

/** The seed with what players added to it: [[seat, text], …] by seat. */
export async function salted(seed, table, hand, salts) {
  if (!salts.length) return seed;
  const added = salts.map(([seat, salt]) => `${seat}=${salt}`).join("|");
  return hex(await (await keyed(seed))(`shuangkou/salted/1|${table}|${hand}|${added}`));
}

/** A function that draws a number below n, one after the other. */
export async function drawer(seed, table, hand, purpose) {
  const mac = await keyed(seed);
  let [words, counter] = [[], 0];
  async function word() {
    if (!words.length) {
      const block = new DataView((await mac(`shuangkou/draw/1|${table}|${hand}|${purpose}|${counter++}`)).buffer);
      words = Array.from({ length: 8 }, (_, index) => block.getUint32(index * 4));
    }
    return words.shift();
  }
  return async function draw(n) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const found = await word();
      if (found < limit) return found % n;
    }
  };
}

/** The 108 cards in the order in which they are dealt, one at a time from seat 0 on. */
export async function shuffledPack(seed, table, hand) {
  const draw = await drawer(seed, table, hand, "shuffle");
  const pack = [...PACK];
  for (let last = pack.length - 1; last > 0; last -= 1) {
    const other = await draw(last + 1);
    [pack[last], pack[other]] = [pack[other], pack[last]];
  }
  return pack;
}

const inOrder = (cards) => [...cards].sort((a, b) => CARDS.indexOf(a) - CARDS.indexOf(b));
const same = (one, other) => one.join(" ") === other.join(" ");

/** Check a hand that is over against its own events. `found` holds their data by kind: handStarted, seedRevealed, seedCommitted, salts,
 * dealt, cardsDealt, kittyTaken, declarerNamed. Gives what was checked: [{zh, en, ok}]; ok is null where the cards may not be seen. */
export async function check(table, found) {
  const { seed, hand } = found.seedRevealed;
  const promised = found.handStarted.commitment;
  const checks = [];
  const say = (ok, zh, en) => checks.push({ ok, zh, en });
  say((await commitment(seed, table, hand)) === promised, "承诺与公布的种子相符", "the commitment fits the revealed seed");
  if (found.seedCommitted) say(found.seedCommitted.commitment === promised, "种子在玩家加入随机数之前已承诺", "the seed was fixed before players added to it");
  const salts = found.salts.map((each) => [each.seat, each.salt]).sort((a, b) => a[0] - b[0]);
  const mixed = await salted(seed, table, hand, salts);
  if (salts.length) say(true, `计入 ${salts.length} 名玩家的随机数`, `with what ${salts.length} players added`);
  const pack = await shuffledPack(mixed, table, hand);
  if (found.dealt) await checkDeal(table, hand, mixed, pack, found.dealt, say);
  else await checkStepwise(table, hand, mixed, pack, found, say);
  return { checks, pack };
}

async function checkDeal(table, hand, seed, pack, dealt, say) {
  const seen = dealt.holdings.map((cards, seat) => (cards === null ? null : same(cards, inOrder(pack.filter((_, position) => position % 4 === seat)))));
  const all = seen.every((each) => each === null) ? null : seen.every((each) => each !== false);
  say(all, "四家的牌正是此种子洗出的牌", "all four holdings are what this seed deals");
  const draw = await drawer(seed, table, hand, "leader");
  if (dealt.face_up) {
    const position = await draw(pack.length);
    say(position === dealt.face_up.position && pack[position] === dealt.face_up.card, "明牌由种子抽出", "the face-up card was drawn from the seed");
  } else if (dealt.leader_by === "drawn") {
    say((await draw(4)) === dealt.leader, "首家由种子抽出", "the leader was drawn from the seed");
  }
}

async function checkStepwise(table, hand, seed, pack, found, say) {
  const seen = found.cardsDealt.flatMap(({ first, cards }) => cards.map((card, index) => (card === null ? null : card === pack[first + index])));
  say(seen.every((each) => each === null) ? null : seen.every((each) => each !== false), "逐张发出的牌正是此种子洗出的牌", "every card dealt is what this seed deals");
  const kitty = found.kittyTaken?.cards;
  if (kitty) say(same(inOrder(kitty), inOrder(pack.slice(DEALT_OF_TRUMPS))), "底牌正是此种子洗出的牌", "the kitty is what this seed deals");
  if (found.declarerNamed?.by === "drawn") {
    const draw = await drawer(seed, table, hand, "declarer");
    say((await draw(4)) === found.declarerNamed.seat, "庄家由种子抽出", "the declarer was drawn from the seed");
  }
}
