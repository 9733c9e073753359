// The clock of whoever is to act, counted down on the page.
import { el } from "./dom.js";
import { serviceTime } from "./stream.js";

/** Seconds that are left on a view's clock, none below 0. */
export const left = (clock) => Math.max(0, clock.seconds - (serviceTime() - Date.parse(clock.since)) / 1000);

const written = (seconds) => (seconds < 60 ? `${seconds}` : `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`);

/** A clock that goes; it stops when it is no longer on the page. */
export function clock(running) {
  const node = el("span", { class: "clock", role: "timer", "aria-live": "off", "aria-label": `限时 ${running.seconds} 秒 clock of ${running.seconds} s` });
  const bar = el("span", { class: "bar-of-clock" });
  const text = el("b", {});
  node.append(bar, text);
  function tick() {
    const seconds = left(running);
    text.textContent = `${written(Math.ceil(seconds))}″`;
    bar.style.setProperty("--part", `${(seconds / running.seconds) * 100}%`);
    node.classList.toggle("late", seconds <= Math.min(10, running.seconds / 3));
  }
  tick();
  const timer = setInterval(() => (node.isConnected ? tick() : clearInterval(timer)), 500);
  return node;
}
