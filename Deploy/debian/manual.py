"""Makes manual pages of what the program says of itself.

    hearth --experimental-dump-help | python3 manual.py FOLDER VERSION

One page for each command, as the command line is declared: hearth.1, hearth-serve.1, hearth-db-get.1.
"""

import json
import pathlib
import sys


def text(words):
    """Words as they are: what troff would take for its own is told apart."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in escaped.split("\n"))


def names(argument):
    if argument["kind"] == "positional":
        return f"\\fI{text(argument.get('valueName', 'value'))}\\fR"
    dashed = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    value = f" \\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return ", ".join(f"\\fB{text(name)}\\fR" for name in dashed) + value


def synopsis(argument):
    word = names(dict(argument, names=[argument["preferredName"]]) if "preferredName" in argument else argument)
    word += " ..." if argument["isRepeating"] else ""
    return f"[{word}]" if argument["isOptional"] else word


def explanation(argument):
    sentences = [argument[key] for key in ("abstract", "discussion") if argument.get(key)]
    if argument.get("allValues"):
        sentences.append(f"One of: {', '.join(argument['allValues'])}.")
    if argument.get("defaultValue"):
        sentences.append(f"(default: {argument['defaultValue']})")
    return text(" ".join(sentences)) or "\\&"


def page(command, words, version):
    shown = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    title = "-".join(words)
    lines = [
        f'.TH "{title.upper()}" 1 "" "hearth {version}" "Hearth"', ".nh", ".SH NAME",
        f"{text(title)} \\- {text(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS",
        " ".join([f"\\fB{text(' '.join(words))}\\fR"] + [
            synopsis(argument) for argument in shown if argument.get("valueName") not in ("help", "version")])
        + (" \\fIcommand\\fR ..." if command.get("subcommands") else "")]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", text(command["discussion"])]
    if shown:
        lines.append(".SH OPTIONS")
        for argument in shown:
            lines += [".TP", names(argument), explanation(argument)]
    below = [child for child in command.get("subcommands", []) if child["shouldDisplay"] and child["commandName"] != "help"]
    if below:
        lines.append(".SH COMMANDS")
        for child in below:
            lines += [".TP", f"\\fB{text('-'.join(words + [child['commandName']]))}\\fR(1)", text(child.get("abstract", ""))]
    others = ["\\fBhearth\\fR(1)"] if len(words) > 1 else []
    if words in (["hearth"], ["hearth", "serve"]):
        others.append("\\fBhearth.conf\\fR(5)")
    if others:
        lines += [".SH SEE ALSO", ", ".join(others)]
    return "\n".join(lines) + "\n", below


def write(command, words, folder, version):
    content, below = page(command, words, version)
    (folder / ("-".join(words) + ".1")).write_text(content, encoding="utf-8")
    for child in below:
        write(child, words + [child["commandName"]], folder, version)


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    command = json.load(sys.stdin)["command"]
    write(command, ["hearth"], folder, version)
    (serve,) = [child for child in command["subcommands"] if child["commandName"] == "serve"]
    options = [argument for argument in serve["arguments"] if argument["shouldDisplay"] and argument["preferredName"]["name"]
               not in ("config", "print-config", "help", "version")]
    lines = [
        f'.TH "HEARTH.CONF" 5 "" "hearth {version}" "Hearth"', ".SH NAME", "hearth.conf \\- options of hearth serve",
        ".SH DESCRIPTION",
        text("Lines of name = value, for each option of hearth serve. A value is the rest of the line after =; a line "
             "that begins with # is a comment. Flags are true or false. Options of the command line override the file. "
             "The installed file is /etc/hearth/hearth.conf."), ".SH OPTIONS"]
    for argument in options:
        name = argument["preferredName"]["name"]
        value = argument["valueName"] if argument["kind"] == "option" else "true"
        lines += [".TP", f"\\fB{text(name)}\\fR = \\fI{text(value)}\\fR", explanation(argument)]
    lines += [".SH SEE ALSO", "\\fBhearth\\-serve\\fR(1)"]
    (folder / "hearth.conf.5").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
