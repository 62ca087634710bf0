"""A source file, positions in it, and mistakes."""

import bisect


class Span(tuple):
    """A range of characters: the offsets of the first character and of the end."""

    __slots__ = ()

    def __new__(cls, start, end):
        return super().__new__(cls, (start, end))


class Mistake(Exception):
    """A mistake in the file, with its span, a message and optional help."""

    def __init__(self, span, message, help=None):
        super().__init__(message)
        self.span, self.message, self.help = span, message, help


class Text:
    """The text of a file with the offsets of its lines."""

    def __init__(self, text):
        self.text = text
        self._starts = [0]
        for offset, character in enumerate(text):
            if character == "\n":
                self._starts.append(offset + 1)
        # Columns count UTF-16 units, as editors do: only characters beyond U+FFFF take two.
        self._is_plain = not text or max(text) <= "\uffff"

    def location(self, span):
        """Returns the line and the column of a span, both from 1, and its width within that line."""
        line = bisect.bisect_right(self._starts, span[0])
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        column = self._units(start, span[0])
        width = self._units(span[0], max(span[0], min(span[1], end)))
        return line, column + 1, width

    def _units(self, start, end):
        if self._is_plain:
            return end - start
        return sum(2 if character > "\uffff" else 1 for character in self.text[start:end])
