// What the terminal's own script leaves to the page: the focus, links, and no accidental end.
"use strict";

// The key to the websocket came behind the # of the first visit. Unlike a cookie it is kept for this
// port alone, so that no other server on this host can use what it is sent.
const KEY = "secretary-tui";
if (location.hash.length > 1) {
  localStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, "", "/");
}
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("#terminal").dataset.sessionWebsocketUrl += `/${localStorage.getItem(KEY)}`;
});

const ended = () => document.body.classList.contains("-closed");

// The terminal opens any address that is clicked, at once and without an address at first. The app
// asks before, and says which host it is: only what it opens comes with its address.
const open = window.open.bind(window);
window.open = (address) => (address ? open(address, "_blank", "noopener") : null);

// The terminal puts marks around a paste and looks for none in it: a text that was copied from a
// foreign page could end it and press keys.
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const copied = DataTransfer.prototype.getData;
DataTransfer.prototype.getData = function (format) {
  return copied.call(this, format).replace(controls, "");
};

window.addEventListener("load", () => {
  document.querySelector(".xterm-helper-textarea")?.focus();
  document.querySelector("#again").addEventListener("click", () => window.location.reload());
});

// The browser keeps Ctrl+W, Ctrl+T and Ctrl+N for itself: the first would end a run.
window.addEventListener("beforeunload", (event) => {
  if (!ended()) event.preventDefault();
});

new MutationObserver(() => {
  if (ended()) document.querySelector("#again").focus();
}).observe(document.documentElement, { attributes: true, subtree: true, attributeFilter: ["class"] });
