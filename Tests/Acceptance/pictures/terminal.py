"""A recording of commands as an animated SVG: it shows what they print, and needs no script in the page."""

import html
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from conftest import HEARTH, ROOT

# Each with a note, in a folder with the rules of an example, their tests and data.
COMMANDS = [
    ("test the rules of a chat", "hearth rules test"),
    ("explain why eve cannot read the room", "hearth rules explain rules.json --read /rooms/lobby --uid eve --data data.json"),
    ("prove what signed-out and signed-in clients can read and write", "hearth rules exposure rules.json"),
]
DATA = '{"rooms": {"lobby": {"name": "Lobby", "owner": "olivia", "members": {"olivia": true, "alice": true}}}}'
COLUMNS, LINES = 110, 22
# Sizes in pixels: a cell of the text, the margin, and the bar at the top.
CELL, LINE, MARGIN, BAR = 8.4, 20, 20, 36
# Seconds: for a typed character, before the output, and for reading the output and each of its lines.
TYPING, PAUSE, READING, READING_LINE = 0.03, 0.5, 3, 0.35
# The scene that is shown where motion is not wanted.
STILL = 1
STYLE = """
text { font: 14px ui-monospace, "JetBrains Mono", "Cascadia Mono", Menlo, Consolas, monospace; fill: #edeae4; white-space: pre; font-variant-ligatures: none; }
.note { fill: #969085; } .prompt { fill: #ff9e5e; } .bad { fill: #ff8792; } .good { fill: #71ce96; }
.scene { visibility: hidden; } .scene.still { visibility: visible; }
@media (prefers-reduced-motion: no-preference) {
"""


def output(command, folder):
    """Returns the lines that a command prints in a folder."""
    done = subprocess.run(
        [HEARTH if word == "hearth" else word for word in shlex.split(command)], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1"}, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 1), done.stderr
    return [line.replace("\t", "  ").rstrip() for line in (done.stdout + done.stderr).rstrip().splitlines()]


def fitted(lines):
    """The lines that are in the picture, cut to its width."""
    room = LINES - 3
    shown = lines if len(lines) <= room else lines[:room - 1] + [f"… {len(lines) - room + 1} more lines"]
    return [line if len(line) <= COLUMNS else line[:COLUMNS - 1] + "…" for line in shown]


def coloured(line):
    """A line of output as SVG, its verdicts in colours."""
    if set(line) <= set(" ^"):
        return f'<tspan class="bad">{line}</tspan>'
    escaped = html.escape(line, quote=False)
    escaped = re.sub(r"\b(open|denied|failed|false)\b", r'<tspan class="bad">\1</tspan>', escaped)
    return re.sub(r"(✓|\b(?:passed|closed|true)\b)", r'<tspan class="good">\1</tspan>', escaped)


def text(line, row, inner, name=""):
    """A line of the picture; the length holds its columns in place whatever the font."""
    if not line:
        return ""
    y = BAR + MARGIN + row * LINE
    return f'<text x="{MARGIN}" y="{y}" class="{name}" textLength="{len(line) * CELL:.1f}">{inner}</text>'


class Scene:
    """A command and its output, from a second of the recording on."""

    def __init__(self, number, note, command, lines, begin):
        self.number, self.note, self.command, self.lines, self.begin = number, note, command, lines, begin
        self.typed = begin + len(command) * TYPING
        self.shown = self.typed + PAUSE
        self.end = self.shown + READING + len(lines) * READING_LINE

    def drawing(self):
        typed = f'<tspan class="prompt">$</tspan> {html.escape(self.command, quote=False)}'
        width = (len(self.command) + 2) * CELL
        rows = "\n".join(text(line, 3 + row, coloured(line)) for row, line in enumerate(self.lines))
        return (
            f'<g class="scene s{self.number}{" still" if self.number == STILL else ""}">\n{text("# " + self.note, 0, "# " + self.note, "note")}\n'
            f'<clipPath id="c{self.number}"><rect class="t{self.number}" x="{MARGIN}" y="{BAR}" width="{width:.1f}" height="60"/></clipPath>\n'
            f'<g clip-path="url(#c{self.number})">{text("$ " + self.command, 1, typed)}</g>\n'
            f'<g class="o{self.number}">\n{rows}\n</g>\n</g>')

    def style(self, total):
        """The scene is visible from its begin to its end, its command appears letter by letter, then its output."""
        def at(second):
            return f"{100 * second / total:.3f}%"

        number, steps = self.number, len(self.command)
        return (
            f"@keyframes s{number} {{ 0% {{ visibility: hidden; }} {at(self.begin)} {{ visibility: visible; }} "
            f"{at(self.end)}, 100% {{ visibility: hidden; }} }}\n"
            f"@keyframes t{number} {{ 0%, {at(self.begin)} {{ width: {2 * CELL}px; animation-timing-function: steps({steps}); }} "
            f"{at(self.typed)}, 100% {{ width: {(steps + 2) * CELL:.1f}px; }} }}\n"
            f"@keyframes o{number} {{ 0% {{ opacity: 0; }} {at(self.shown)}, 100% {{ opacity: 1; }} }}\n"
            f".s{number} {{ animation: s{number} {total:.1f}s step-end infinite; }}\n"
            f".t{number} {{ animation: t{number} {total:.1f}s linear infinite; }}\n"
            f".o{number} {{ animation: o{number} {total:.1f}s step-end infinite; }}\n")


def recording():
    scenes, begin = [], 0
    with tempfile.TemporaryDirectory(prefix="hearth-recording-") as name:
        folder = pathlib.Path(name)
        for file in (ROOT / "Rules/Examples/chat-rooms").iterdir():
            shutil.copy(file, folder)
        (folder / "data.json").write_text(DATA, encoding="utf-8")
        for number, (note, command) in enumerate(COMMANDS):
            scenes.append(Scene(number, note, command, fitted(output(command, folder)), begin))
            begin = scenes[-1].end
    width, height = 2 * MARGIN + COLUMNS * CELL, BAR + 2 * MARGIN + (LINES - 1) * LINE
    style = STYLE + "".join(scene.style(begin) for scene in scenes) + "}"
    drawings = "\n".join(scene.drawing() for scene in scenes)
    label = "Recording: " + ", ".join(command for _, command in COMMANDS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img" '
        f'aria-label="{html.escape(label)}">\n<style>{style}</style>\n'
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="10" fill="#1b1a18" stroke="#403c37"/>\n'
        + "".join(f'<circle cx="{MARGIN + 16 * dot}" cy="18" r="5" fill="#403c37"/>' for dot in range(3))
        + f"\n{drawings}\n</svg>\n")
