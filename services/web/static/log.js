// Events as lines of a list.
import { el } from "./dom.js";
import { eventWords, kindOf } from "./words.js";

/** An event as a line; `who` names a seat as it was then. */
export function line(event, who) {
  const time = new Date(event.time);
  return el("li", { class: kindOf(event) }, el("span", { class: "v" }, `${event.version}`), said(event, who), el("time", { datetime: event.time }, time.toLocaleTimeString("zh-CN", { hour12: false })));
}

/** What an event says, both languages, with its cards. */
export function said(event, who) {
  const [zh, en, cards = []] = eventWords(event, who);
  return el("span", { class: "said" }, el("span", { lang: "zh-Hans" }, zh), " ", el("span", { class: "en", lang: "en" }, en), cards.length ? el("span", { class: "chips" }, cards) : null);
}

/** Show these lines, latest first. What is there stays where it is, so that readers and screen readers keep their place. */
export function drawLog(log, events) {
  const wanted = [...events.values()].sort((a, b) => b.event.version - a.event.version).map((each) => each.line);
  for (const child of [...log.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((node, index) => {
    if (log.children[index] !== node) log.insertBefore(node, log.children[index] ?? null);
  });
}
