// What the console does in the browser by itself: theme, times, the drawer, the truth about the connection.
// It needs no server, so it goes on working when the connection is lost.
(() => {
  "use strict";
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const THEMES = ["auto", "light", "dark"];

  // ── theme ────────────────────────────────────────────────────────────────
  const chosen = () => {
    try {
      const value = localStorage.getItem("dibs-theme");
      return THEMES.includes(value) ? value : "auto";
    } catch {
      return "auto";
    }
  };
  function applyTheme() {
    const choice = chosen();
    const isDark = choice === "dark" || (choice === "auto" && dark.matches);
    root.dataset.theme = isDark ? "dark" : "light";
    root.dataset.themeChoice = choice;
    globalThis.Quasar?.Dark?.set(isDark);
    for (const button of document.querySelectorAll("[data-dibs-theme]")) {
      const names = { auto: "as the system", light: "light", dark: "dark" };
      button.setAttribute("aria-label", `Colours: ${names[choice]}. Change`);
      button.title = `Colours: ${names[choice]}`;
    }
  }
  function nextTheme() {
    const next = THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length];
    try {
      localStorage.setItem("dibs-theme", next);
    } catch {
      root.dataset.themeChoice = next;
    }
    applyTheme();
  }
  window.dibsApplyTheme = applyTheme;
  dark.addEventListener("change", applyTheme);
  applyTheme();

  // ── times ────────────────────────────────────────────────────────────────
  const language = navigator.language || "en";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const hourMinute = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short" });
  const dayYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
  const sameDay = (a, b) => a.toDateString() === b.toDateString();

  function span(seconds) {
    const s = Math.abs(seconds);
    if (s < 60) return `${Math.floor(s)} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min`;
    if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    return `${Math.floor(s / 86400)} d`;
  }
  function moment(at, now) {
    if (sameDay(at, now)) return hourMinute.format(at);
    const date = at.getFullYear() === now.getFullYear() ? day.format(at) : dayYear.format(at);
    return `${date}, ${hourMinute.format(at)}`;
  }
  function say(at, mode, now) {
    const ahead = (at - now) / 1000;
    switch (mode) {
      case "moment":
        return moment(at, now);
      case "clock":
        return clock.format(at);
      case "date":
        return at.getFullYear() === now.getFullYear() ? day.format(at) : dayYear.format(at);
      case "countdown": {
        if (ahead <= 0) return "over";
        const s = Math.floor(ahead);
        return s < 3600 ? `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}` : span(ahead);
      }
      default:
        if (Math.abs(ahead) < 5) return ahead > 0 ? "in a moment" : "just now";
        if (Math.abs(ahead) > 7 * 86400) return moment(at, now);
        return ahead > 0 ? `in ${span(ahead)}` : `${span(ahead)} ago`;
    }
  }
  class DibsTime extends HTMLElement {
    static observedAttributes = ["datetime", "mode"];
    connectedCallback() {
      this.render();
      DibsTime.shown.add(this);
    }
    disconnectedCallback() {
      DibsTime.shown.delete(this);
    }
    attributeChangedCallback() {
      if (this.isConnected) this.render();
    }
    render() {
      const text = this.getAttribute("datetime") || "";
      const at = new Date(text);
      let inner = this.firstElementChild;
      if (!inner) {
        inner = document.createElement("time");
        this.replaceChildren(inner);
      }
      if (!text || Number.isNaN(at.getTime())) {
        inner.textContent = text || "—";
        return;
      }
      const words = say(at, this.getAttribute("mode") || "relative", new Date());
      if (inner.getAttribute("datetime") !== text) {
        inner.setAttribute("datetime", text);
        inner.title = `${full.format(at)} · ${zone}`;
      }
      if (inner.textContent !== words) inner.textContent = words;
      this.classList.toggle("is-over", this.getAttribute("mode") === "countdown" && at <= Date.now());
      this.classList.toggle("is-soon", this.getAttribute("mode") === "countdown" && at - Date.now() < 30000);
    }
    static shown = new Set();
  }
  customElements.define("dibs-time", DibsTime);
  setInterval(() => DibsTime.shown.forEach((element) => element.render()), 1000);

  // ── the tour of the demo: what was tried, and that it was put away, stays in this browser ────────────
  class DibsTour extends HTMLElement {
    connectedCallback() {
      this.render();
      this.addEventListener("click", (event) => {
        const pressed = event.target.closest("button");
        if (!pressed) return;
        const step = pressed.dataset.step;
        if (step) localStorage.setItem("dibs-tour", [...new Set([...this.done(), step])].join(" "));
        else localStorage.setItem("dibs-tour-away", "1");
        this.render();
      });
    }
    done() {
      return (localStorage.getItem("dibs-tour") || "").split(" ").filter(Boolean);
    }
    render() {
      this.hidden = localStorage.getItem("dibs-tour-away") === "1";
      this.dataset.done = this.done().join(" ");
    }
  }
  customElements.define("dibs-tour", DibsTour);

  // ── the address keeps the filters ────────────────────────────────────────
  window.dibsSetQuery = (changes) => {
    const url = new URL(window.location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "" || value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    window.history.replaceState(window.history.state, "", url);
  };
  window.dibsGetQuery = (name) => new URL(window.location.href).searchParams.get(name) || "";
  // A provider's link may only lead to a web page; anything else is shown as text.
  window.dibsSafeLink = (href) => {
    if (typeof href !== "string" || href === "") return null;
    if (href.startsWith("/") && !href.startsWith("//") && !href.startsWith("/\\")) return href;
    try {
      return ["http:", "https:"].includes(new URL(href).protocol) ? href : null;
    } catch {
      return null;
    }
  };

  // ── the drawer, the theme button, the skip link ──────────────────────────
  function drawer(open) {
    const button = document.querySelector("[data-dibs-menu]");
    const was = root.classList.contains("nav-open");
    root.classList.toggle("nav-open", open);
    button?.setAttribute("aria-expanded", String(open));
    if (open) document.querySelector("#dibs-nav a")?.focus();
    else if (was) button?.focus();
  }
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    if (target.closest("[data-dibs-theme]")) nextTheme();
    else if (target.closest("[data-dibs-menu]")) drawer(!root.classList.contains("nav-open"));
    else if (target.closest("[data-dibs-veil]")) drawer(false);
    else if (target.closest("[data-dibs-skip]")) {
      event.preventDefault();
      const main = document.getElementById("dibs-main");
      main?.focus();
      main?.scrollIntoView();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && root.classList.contains("nav-open")) drawer(false);
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      const search = document.querySelector("input[type=search]");
      if (search) {
        event.preventDefault();
        search.focus();
      }
    }
  });

  // ── the connection, honestly ─────────────────────────────────────────────
  let lostAt = null;
  function connection(ok) {
    if (ok === (lostAt === null)) return;
    lostAt = ok ? null : new Date();
    root.classList.toggle("is-lost", !ok);
    const banner = document.getElementById("dibs-lost");
    if (!banner) return;
    banner.hidden = ok;
    banner.textContent = ok
      ? ""
      : `Connection lost at ${clock.format(lostAt)}. What you see may be out of date. Trying to reconnect…`;
  }
  function watchSocket() {
    const socket = window.socket;
    if (!socket) return setTimeout(watchSocket, 50);
    socket.on("connect", () => connection(true));
    socket.on("disconnect", () => connection(false));
    socket.io.on("reconnect_error", () => connection(false));
    if (socket.connected) connection(true);
  }
  window.addEventListener("offline", () => connection(false));
  window.addEventListener("online", () => connection(Boolean(window.socket?.connected)));
  document.addEventListener("DOMContentLoaded", () => {
    applyTheme();
    if (!document.body.hasAttribute("data-dibs-plain")) watchSocket();
  });
})();
