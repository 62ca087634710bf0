/** The icons' strokes, on a grid of 16. */
export const ICONS = {
  data: "M2.5 3.2h4.2M2.5 3.2v9.3h4.400M2.5 7.8h4.400M9.6 3.2h3.900M9.6 7.8h3.900M9.6 12.5h3.9",
  search: "M11.2 7A4.2 4.2 0 1 1 2.8 7a4.2 4.2 0 0 1 8.4 0zM10.1 10.1l3.4 3.4",
  eye: "M1.5 8S3.9 3.7 8 3.7 14.5 8 14.5 8 12.1 12.3 8 12.3 1.5 8 1.5 8zM9.9 8a1.9 1.9 0 1 1-3.8 0 1.9 1.9 0 0 1 3.8 0z",
  plus: "M8 3.2v9.600M3.2 8h9.6",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  chevron: "M6.2 4.2 10 8l-3.8 3.8",
  down: "M4.3 6.3 8 10l3.7-3.7",
  pause: "M5.7 3.7v8.600M10.3 3.7v8.6",
  play: "M5 3.4v9.2l7.4-4.6z",
  copy: "M6.7 5.5h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.200H6.7a1.2 1.2 0 0 1-1.2-1.200V6.7a1.2 1.2 0 0 1 1.2-1.2zM3.6 10.5a1.1 1.1 0 0 1-1.1-1.100V3.7a1.2 1.2 0 0 1 1.2-1.2h5.7a1.1 1.1 0 0 1 1.1 1.1",
  moon: "M13.3 9.700A5.7 5.7 0 0 1 6.3 2.7a5.7 5.7 0 1 0 7 7z",
  sun: "M10.7 8a2.7 2.7 0 1 1-5.4 0 2.7 2.7 0 0 1 5.4 0zM8 1.5v1.300M8 13.2v1.300M1.5 8h1.300M13.2 8h1.300M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  warning: "M8 2.6 14.3 13.400H1.7zM8 6.6v3.200M8 11.5h.01",
  lock: "M4.7 7h6.6a1.4 1.4 0 0 1 1.4 1.4v3.7a1.4 1.4 0 0 1-1.4 1.400H4.7a1.4 1.4 0 0 1-1.4-1.400V8.400A1.4 1.4 0 0 1 4.7 7zM5.3 7V5.1a2.7 2.7 0 0 1 5.4 0V7",
  filter: "M2.5 4.3h11M4.7 8h6.600M6.8 11.7h2.4",
  check: "m3.2 8.6 3.1 3.1 6.5-7",
  cross: "m4.2 4.2 7.6 7.600M11.8 4.2l-7.6 7.6",
  keyboard: "M3 4.2h10a1.3 1.3 0 0 1 1.3 1.3v5a1.3 1.3 0 0 1-1.3 1.300H3a1.3 1.3 0 0 1-1.3-1.3v-5A1.3 1.3 0 0 1 3 4.2zM4.5 7h.01M7 7h.01M9.5 7h.01M11.8 7h.01M5.5 9.5h5",
  person: "M10.5 5.3a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM2.9 13.4c.4-2.6 2.4-4 5.1-4s4.7 1.4 5.1 4",
  database: "M13 4c0 1-2.2 1.8-5 1.800S3 5 3 4s2.2-1.8 5-1.800S13 3 13 4zM3 4v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.800V4M3 8c0 1 2.2 1.8 5 1.800S13 9 13 8",
  download: "M8 2.7v7.600M4.9 7.3 8 10.4l3.1-3.100M3 13.3h10",
  trash: "M2.8 4.3h10.400M6.3 4.300V3.1a.9.9 0 0 1 .9-.9h1.6a.9.9 0 0 1 .9.9v1.200M4.2 4.3l.6 8.4a1 1 0 0 0 1 .9h4.4a1 1 0 0 0 1-.9l.6-8.4",
  enter: "M12.8 4v3.3a1.7 1.7 0 0 1-1.7 1.700H3.600M6.4 6.2 3.6 9l2.8 2.8",
  back: "M9.7 3.7 5.4 8l4.3 4.3",
  move: "M2.5 8h10.800M9.9 4.6 13.300 8l-3.4 3.400M2.5 4v8",
  edit: "M3 13l.6-2.9 7.3-7.3a1.3 1.3 0 0 1 1.8 0l.5.5a1.3 1.3 0 0 1 0 1.800L5.9 12.4z",
} as const;

export type IconName = keyof typeof ICONS;

const SVG = "http://www.w3.org/2000/svg";

/** An icon outside of the view library. */
export function iconElement(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}
