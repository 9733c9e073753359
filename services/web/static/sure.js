// Asks once more before what cannot be taken back; the page includes sure.html.
import { both, fill } from "./dom.js";

const at = (id) => document.getElementById(id);

/** Whether the reader means it. */
export async function sure(title, words, yes) {
  fill(at("sure-title"), both(...title));
  fill(at("sure-words"), both(...words));
  fill(at("sure-yes"), both(...yes));
  const dialog = at("sure");
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  return dialog.returnValue === "yes";
}
