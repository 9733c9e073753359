// One case: the claim, what the record says of it, the evidence, and what is to be done.
import { drawFacts, makeBoard } from "./board.js";
import { chips } from "./cards.js";
import { about, ask, commands, enter, marks, OUTCOME, when, words } from "./desk.js";
import { both, el, fill, signed } from "./dom.js";
import { naming } from "./live.js";
import { said } from "./log.js";
import { resultBody } from "./result.js";
import { sure } from "./sure.js";

const LARGEST = 40 * 1024; // bytes of a file whose content is attached
const CLOSED = new Set(["ruled", "withdrawn"]);
const at = (id) => document.getElementById(id);
const root = at("inside");
const id = root.dataset.dispute;
const address = `/disputes/${encodeURIComponent(id)}`;
const drawBoard = makeBoard(at("board"));
const EVENT = {
  "dispute-raised": (data) => [`${data.player} 提出争议`, `raised by ${data.player}`],
  "evidence-attached": (data) => [`${data.by} 提交证据 ${data.number}`, `evidence ${data.number} by ${data.by}`],
  "dispute-assigned": (data) => [`分配给 ${data.adjudicator}`, `assigned to ${data.adjudicator}`],
  "ruling-given": (data) => [`${data.adjudicator} 裁决:${OUTCOME[data.outcome][0]}`, `ruling: ${OUTCOME[data.outcome][1]}`],
  "ledger-adjusted": (data) => [`记入账本 ${data.entries.length} 笔`, `${data.entries.length} entries in the ledger`],
  "dispute-withdrawn": (data) => [`${data.player} 撤回`, `withdrawn by ${data.player}`],
};
const DID = {
  pass: ["过牌", "pass"], decline: ["不亮/不反", "decline"], leave: ["离席", "leave"], start: ["开局", "start"], seat: ["入座", "take a seat"],
  open: ["开桌", "open the table"], deal_on: ["发牌", "deal on"], commit: ["承诺种子", "commit to a seed"], salt: ["加随机数", "add a salt"], return: ["取消托管", "return"], vote: ["表决", "vote"],
};

const facts = (rows) => el("dl", { class: "pairs" }, rows.filter(Boolean).map(([name, ...value]) => el("div", {}, el("dt", {}, both(...name)), el("dd", {}, ...value))));

function drawClaim(found) {
  fill(at("status"), marks(found));
  fill(
    at("claim"),
    el("p", { class: "text large" }, found.claim),
    facts([
      [["提出者", "raised by"], el("b", { class: "name" }, found.player), " ", when(found.raised)],
      [["关于", "about"], about(found)],
      [["当事人", "parties"], found.players.join("、")],
      [["裁决人", "adjudicator"], found.adjudicator ?? both("尚未分配", "nobody yet")],
      [["期限", "to rule by"], when(found.respond_by), found.overdue ? el("span", { class: "mark late" }, both("逾期", "overdue")) : null],
      found.withdrawn === null ? null : [["已撤回", "withdrawn"], found.withdrawn || "–"],
    ]),
  );
}

function drawRuling({ ruling }) {
  at("ruling-part").hidden = ruling === null;
  if (ruling === null) return;
  const entries = ruling.entries.map((entry) =>
    el("tr", {}, el("th", { scope: "row" }, entry.account), el("td", { class: "n" }, signed(Number(entry.amount))), el("td", {}, both(...(entry.unit === "coins" ? ["币", "coins"] : ["分", "points"])))),
  );
  fill(
    at("ruling"),
    el("p", { class: "outcome" }, both(...OUTCOME[ruling.outcome])),
    el("p", { class: "text" }, ruling.reason),
    entries.length ? el("div", { class: "scroll" }, el("table", { class: "entries" }, el("caption", { class: "soft" }, both("记入账本", "entries in the ledger")), el("tbody", {}, entries))) : null,
    el("p", { class: "small soft" }, ruling.adjudicator, " · ", when(ruling.time), " · ", both(`依据本桌前 ${ruling.table_version} 个事件`, `on the first ${ruling.table_version} events of the table`), " ", el("code", {}, `${ruling.table_head.slice(0, 12)}…`)),
  );
}

/** Rulings of other cases on the same hand. */
function drawOthers(others) {
  at("others-part").hidden = others.length === 0;
  const link = ({ dispute }) => el("a", { href: `/disputes/${encodeURIComponent(dispute)}` }, el("code", {}, dispute));
  const where = ({ hand }) => (hand === null ? both("全桌", "the whole table") : both(`第 ${hand} 局`, `hand ${hand}`));
  fill(
    at("others"),
    others.map((each) => el("li", {}, el("p", {}, where(each), " · ", el("b", {}, both(...OUTCOME[each.outcome]))), el("p", { class: "text" }, each.reason), el("p", { class: "small soft" }, link(each), " · ", each.adjudicator, " · ", when(each.time)))),
  );
}

function drawTable(found, seen) {
  const { view, event } = seen;
  fill(at("state-at"), both(`事件 ${seen.at} 之后`, `after event ${seen.at}`));
  const table = encodeURIComponent(found.table);
  fill(at("links"), el("a", { href: `/replay/${table}#e=${seen.at}` }, both("从这里回放", "replay from here")));
  fill(at("event"), said(event, naming(view.seats.map((seat) => seat.player))));
  drawFacts(at("facts"), view);
  const own = Number(view.viewer);
  drawBoard(view, { own: Number.isInteger(own) ? own : 0, going: false });
}

const didWords = (act) => (act.cards.length ? el("span", { class: "chips" }, chips(act.cards, act.reading)) : both(...(DID[act.do] ?? [act.do, act.do])));

function drawLegal(situation) {
  at("legal-part").hidden = situation === null;
  if (situation === null) return;
  const { act, choices, broken } = situation;
  const reasons = (broken ? [broken] : situation.reasons).map((each) => el("li", {}, el("span", { class: "clause" }, each.clause), both(each.zh, each.en)));
  const many = choices.total ?? choices.acts.length;
  fill(
    at("legal"),
    el("p", { class: situation.legal ? "verdict good" : "verdict bad" }, situation.legal ? both("合规", "legal") : both("违规", "against the rules"), ": ", el("b", { class: "name" }, situation.player ?? ""), " ", didWords(act)),
    el("ul", { class: "why" }, reasons),
    choices.acts.length
      ? el(
          "details",
          {},
          el("summary", {}, both(`当时还可以(${many} 种)`, `what was open then (${many})`)),
          el("ul", { class: "choices" }, choices.acts.map((each) => el("li", {}, didWords(each)))),
          choices.acts.length < many ? el("p", { class: "small soft" }, both(`只列出 ${choices.acts.length} 种`, `only ${choices.acts.length} are listed`)) : null,
        )
      : null,
    choices.note_en ? el("p", { class: "small soft" }, both(choices.note_zh, choices.note_en)) : null,
  );
}

function drawCheck(report, found) {
  const faults = report.faults.map((fault) => el("li", {}, `${fault.clause} `, both(fault.zh, fault.en), fault.version ? ` (${fault.version})` : ""));
  fill(
    at("check"),
    el("p", { class: report.clean ? "verdict good" : "verdict bad" }, report.clean ? both(`前 ${report.until} 个事件没有问题`, `no fault in the first ${report.until} events`) : both("记录有问题", "the record has a fault")),
    el("ul", {}, faults),
    el("p", { class: "small soft" }, both("哈希链、洗牌、每一手牌和每个分数都重新算过。", "Chain, shuffle, every play and every score were worked out again."), " ", el("code", {}, `shuangkou verify ${found.table}`)),
  );
}

function drawResult(result) {
  at("result-part").hidden = result === null || !("why" in result || "outcome" in result);
  if (!at("result-part").hidden) fill(at("result"), resultBody(result));
}

function drawEvidence(found, token) {
  fill(at("evidence-count"), found.evidence.length ? `${found.evidence.length}` : "");
  fill(
    at("evidence"),
    found.evidence.map((piece) => {
      const load = el("button", { type: "button", class: "quiet" }, both("下载", "download"));
      load.onclick = () => download(piece, token).catch((error) => load.after(el("span", { class: "said" }, words(error))));
      return el(
        "li",
        {},
        el("p", { class: "small soft" }, `${piece.number}. `, el("b", { class: "name" }, piece.by), " ", when(piece.time)),
        piece.text === null ? el("p", {}, piece.name, piece.size === null ? null : ` (${piece.size.toLocaleString()} B) `, piece.kind === "file" ? load : null) : el("p", { class: "text" }, piece.text),
        piece.kind === "digest" ? el("p", { class: "small" }, both("只记录了摘要,请自行保存文件。", "Only the SHA-256 is kept here: keep the file yourself.")) : null,
        piece.kind === "text" ? null : el("p", { class: "small soft" }, "SHA-256 ", el("code", { class: "whole" }, piece.sha256)),
      );
    }),
  );
}

async function download(piece, token) {
  const answer = await fetch(`${address}/evidence/${piece.number}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(answer.statusText);
  const link = el("a", { href: URL.createObjectURL(await answer.blob()), download: piece.name });
  link.click();
  URL.revokeObjectURL(link.href);
}

function drawRecord(events) {
  fill(
    at("events"),
    events.map((event) => el("li", {}, el("span", { class: "v" }, `${event.version}`), both(...EVENT[event.type.split(".")[1]](event.data)), when(event.time), el("code", { title: event.hash }, `${event.hash.slice(0, 10)}…`))),
  );
}

/** Show the forms for what this reader may do now. */
function offer(found, others, me, token, again) {
  const going = !CLOSED.has(found.status);
  const show = (name, wanted) => {
    at(name).hidden = !(going && wanted);
    return going && wanted;
  };
  const tasks = [
    show("rule", me.role === "adjudicator" && me.name === found.adjudicator),
    show("assign", me.role === "operator"),
    show("withdraw", me.role === "player" && me.player === found.player),
  ];
  at("act-part").hidden = !tasks.some(Boolean);
  show("attach", me.role !== "adjudicator" || me.name === found.adjudicator);
  commands(at("assign"), token, (form) => ({ address: `${address}/assignments`, body: { adjudicator: form.elements.adjudicator.value.trim(), respond_by: form.elements.respond_by.value || null } }), (answer) => again().then(() => drawSlip(answer)));
  commands(at("withdraw"), token, (form) => ({ address: `${address}/withdrawal`, body: { reason: form.elements.reason.value } }), again);
  commands(at("attach"), token, async (form) => ({ address: `${address}/evidence`, body: await evidenceOf(form) }), again);
  ruling(found, others, token, again);
}

/** Says that an adjudicator of this name is not known yet: it may be a slip. */
function drawSlip({ case: { adjudicator }, new_adjudicator: unknown }) {
  const said = both(`「${adjudicator}」此前未接手或查看过争议;如有笔误请重新分配。`, `${adjudicator} was never given a case nor looked at one before; if that is a slip, assign it again.`);
  fill(at("assign").querySelector(".said"), unknown ? said : null);
}

async function evidenceOf(form) {
  const [file] = form.elements.file.files;
  if (!file) return { text: form.elements.text.value };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const body = { name: file.name };
  if (crypto.subtle) body.sha256 = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (bytes.length <= LARGEST) body.content = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return body;
}

function ruling(found, others, token, again) {
  const form = at("rule");
  const fields = found.players.map((name) => {
    const input = el("input", { name: "amount", "data-player": name, inputmode: "decimal", pattern: "[+\\-]?[0-9]{1,9}(\\.[0-9]{1,4})?", placeholder: "0" });
    return el("label", {}, el("span", { class: "name" }, name), input);
  });
  fill(at("amount-fields"), fields);
  const amounts = () => [...form.querySelectorAll("[data-player]")].map((input) => [input.dataset.player, input.value.trim()]).filter(([, text]) => text !== "");
  const total = () => amounts().reduce((sum, [, text]) => sum + Math.round(Number(text) * 10_000), 0) / 10_000;
  const change = () => {
    const outcome = form.elements.outcome.value;
    at("amounts").hidden = outcome !== "adjusted";
    at("rule-hand").hidden = found.hand !== null || outcome === "upheld" || outcome === "";
    const sum = total();
    fill(at("sum"), Number.isNaN(sum) ? "?" : signed(sum));
  };
  form.oninput = change;
  change();
  commands(
    form,
    token,
    async () => {
      const outcome = form.elements.outcome.value;
      const body = { outcome, reason: form.elements.reason.value, house: form.elements.house.checked };
      if (outcome === "adjusted") body.amounts = amounts().map(([player, text]) => ({ player, amount: text.replace("+", "") }));
      if (form.elements.hand.value !== "") body.hand = Number(form.elements.hand.value);
      const given = amounts().map(([player, text]) => `${player} ${signed(Number(text))}`);
      if (body.house) given.push(`house:rulings ${signed(-total())}`);
      const adjusted = `: ${given.join(", ")}`;
      const [zh, en] = { upheld: ["", ""], voided: [",该局所得全部冲回", ", and all that it gave is taken back"], adjusted: [adjusted, adjusted] }[outcome];
      const told = [`${OUTCOME[outcome][0]}${zh}。裁决后不能更改。`, `${OUTCOME[outcome][1]}${en}. A ruling cannot be taken back.`];
      if (outcome === "adjusted" && others.some((each) => each.outcome === "voided")) {
        told[0] += "注意:另案已裁决作废,此调整将另行记入。";
        told[1] += " Mind that another case ruled the hand void: this is posted on top.";
      }
      if (!(await sure(["作出这项裁决?", "Give this ruling?"], told, ["作出裁决", "give the ruling"]))) return null;
      return { address: `${address}/rulings`, body };
    },
    again,
  );
}

enter(async ({ token, me }) => {
  const trouble = at("trouble");
  const load = async () => {
    const { case: found, events, others } = await ask(address, token);
    drawClaim(found);
    drawRuling(found);
    drawOthers(others);
    drawEvidence(found, token);
    drawRecord(events);
    offer(found, others, me, token, load);
    root.hidden = false;
    const seen = await ask(`${address}/examination`, token);
    drawTable(found, seen);
    drawLegal(seen.situation);
    drawCheck(seen.verification, found);
    drawResult(seen.result);
    root.dataset.version = `${found.version}`;
  };
  trouble.hidden = true;
  try {
    await load();
  } catch (error) {
    if (error.status === 401) throw error;
    fill(trouble, words(error));
    trouble.hidden = false;
  }
});
