// What both pages of the dispute desk share: whose token it is, how it is asked for, and the words of cases.
import { ask, Refused, send } from "./api.js";
import { both, el, fill } from "./dom.js";
import { bearer, fragment, keepToken, tokenFor } from "./session.js";

const DESK = "disputes"; // the name under which this tab keeps the token
const at = (id) => document.getElementById(id);

export const STATUS = {
  open: ["待分配", "open"],
  assigned: ["待裁决", "assigned"],
  ruled: ["已裁决", "ruled"],
  withdrawn: ["已撤回", "withdrawn"],
};
export const OUTCOME = {
  upheld: ["维持原记录", "the record is upheld"],
  voided: ["本局作废", "the hand is void"],
  adjusted: ["调整金额", "amounts are adjusted"],
};
const ROLE = {
  player: ["玩家", "player"],
  operator: ["管理员", "operator"],
  auditor: ["审计员", "auditor"],
  adjudicator: ["裁决人", "adjudicator"],
};

/** A time for people, in their own zone; the record's time is its title. */
export function when(time) {
  const shown = new Date(time).toLocaleString("zh-CN", { dateStyle: "medium", timeStyle: "short", hour12: false });
  return el("time", { datetime: time, title: time }, shown);
}

/** How a case stands, and whether it is late. */
export function marks(found) {
  const late = found.overdue ? el("span", { class: "mark late" }, both("逾期", "overdue")) : null;
  return [el("span", { class: `mark ${found.status}` }, both(...STATUS[found.status])), late];
}

/** What a case is about: its table, hand and event. */
export function about(found) {
  const hand = found.hand === null ? null : [" · ", both("局", "hand"), ` ${found.hand}`];
  const event = found.event === null ? null : [" · ", both("事件", "event"), ` ${found.event}`];
  return [both("牌桌", "table"), " ", el("code", {}, found.table), hand, event];
}

/** A refusal in words. */
export const words = (error) => (error instanceof Refused ? both(error.zh, error.en) : both("出错了。", String(error)));

/** Ask for a token if there is none, then call `inside({token, me})`; again after another one was given. */
export function enter(inside) {
  const form = at("login");
  const shut = () => {
    at("inside").hidden = at("bearer").hidden = true;
    form.hidden = false;
  };
  const open = async (token) => {
    const me = bearer(token);
    form.hidden = true;
    at("bearer").hidden = false;
    fill(at("bearer-name"), both(...(ROLE[me.role] ?? ["?", "?"])), " ", el("b", { class: "name" }, me.player ?? me.name ?? ""));
    try {
      await inside({ token, me });
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) throw error;
      keepToken(DESK, null);
      shut();
      fill(form.querySelector(".said"), words(error));
    }
  };
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    const token = form.elements.token.value.trim();
    form.reset();
    fill(form.querySelector(".said"));
    keepToken(DESK, token);
    open(token);
  });
  at("leave").addEventListener("click", () => {
    keepToken(DESK, null);
    shut();
    form.elements.token.focus();
  });
  const table = fragment().get("table"); // the way from a seat: the tab has its token
  if (table && tokenFor(table)) keepToken(DESK, tokenFor(table));
  const token = tokenFor(DESK);
  if (token) open(token);
  else shut();
}

/** Let a form send a command: `make(form)` gives its address and body, or null to send nothing; `done(answer)` what comes then. A double click sends it once. */
export function commands(form, token, make, done) {
  const key = () => (form.dataset.key ??= [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  form.onsubmit = async (submitted) => {
    submitted.preventDefault();
    const said = form.querySelector(".said");
    const button = form.querySelector(".button");
    button.disabled = true;
    fill(said);
    try {
      const request = await make(form);
      if (request === null) return;
      const { address, body } = request;
      const answer = await send(address, token, body, { key: key() });
      delete form.dataset.key;
      form.reset();
      await done(answer);
    } catch (error) {
      if (error instanceof Refused && error.status > 0 && error.status < 500) delete form.dataset.key; // nothing was recorded
      fill(said, words(error));
    } finally {
      button.disabled = false;
    }
  };
}

export { ask };
