// What the terminal's own script leaves to the page: the focus, links, and no accidental end.
"use strict";

const ended = () => document.body.classList.contains("-closed");

// The terminal opens any address that is clicked, at once and without an address at first. The app
// asks before, and says which host it is: only what it opens comes with its address.
const open = window.open.bind(window);
window.open = (address) => (address ? open(address, "_blank", "noopener") : null);

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
