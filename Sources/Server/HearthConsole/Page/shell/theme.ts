const KEPT = "hearth-console-theme";

export type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");

/** Returns the theme that was chosen in this browser, else the system's. */
export function theme(): Theme {
  const chosen = localStorage.getItem(KEPT);
  return chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}

export function switchTheme(): void {
  const next: Theme = theme() === "dark" ? "light" : "dark";
  localStorage.setItem(KEPT, next);
  applyTheme();
}

system.addEventListener("change", applyTheme);
