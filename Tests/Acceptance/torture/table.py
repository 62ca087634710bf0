"""The table that is printed at the end."""

HEAD = ("row", "how many", "outcome", "took")


def duration(seconds):
    seconds = round(seconds)
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds % 60:02} s" if minutes else f"{seconds} s"


def table(rows):
    """Returns Markdown lines with the result of each row: [(name, row of a state)]."""
    lines = [HEAD]
    for name, row in rows:
        words = {"going": "not finished", "failed": "FAILED", "done": "passed", "open": "not begun"}
        outcome = words[row["status"]] + (f"; {row['outcome']}" if row["outcome"] else "")
        lines.append((name, f"{row['count']:,} {row['unit']}", outcome, duration(row["seconds"])))
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    lines.insert(1, tuple("-" * width for width in [*widths, len(HEAD[3])]))
    return "\n".join(
        "| " + " | ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[3]]) + " |" for line in lines)
