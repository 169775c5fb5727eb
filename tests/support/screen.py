"""What a terminal of xterm's kind shows, after what a program has written to it."""
import re
import unicodedata

SEQUENCE = re.compile(r"\x1b(?:\[([?>!]?)([0-9;]*)([@-~])|[()][0-9A-B]|([78=>cDEHM]))")


def width(character):
    if unicodedata.combining(character) or character in "\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Fails on a sequence that it does not know, so that none is passed over."""

    def __init__(self, rows, columns):
        self.pending, self.saved, self.modes = "", (0, 0), set()
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns, self.top, self.bottom = rows, columns, 0, rows - 1
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def lines(self):
        """Returns the lines without blanks at their ends; a wide character fills two cells."""
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, text):
        text = self.pending + text
        self.pending = ""
        at = 0
        while at < len(text):
            character = text[at]
            if character == "\x1b":
                found = SEQUENCE.match(text, at)
                if not found:
                    if len(text) - at > 40:
                        raise AssertionError(f"unknown sequence: {text[at:at + 40]!r}")
                    self.pending = text[at:]
                    return
                self.obey(found)
                at = found.end()
                continue
            self.put(character)
            at += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\b":
            self.column = max(0, min(self.column, self.columns - 1) - 1)
        elif character == "\n":
            self.line_feed()
        elif character in "\x07\x0e\x0f":
            pass
        elif character < " ":
            raise AssertionError(f"a control character: {character!r}")
        else:
            self.write(character)

    def write(self, character):
        wide = width(character)
        if wide == 0:
            return
        if self.column + wide > self.columns:
            self.column = 0
            self.line_feed()
        self.cells[self.row][self.column] = character
        if wide == 2 and self.column + 1 < self.columns:
            self.cells[self.row][self.column + 1] = ""
        self.column += wide
        self.last = character

    def line_feed(self):
        if self.row == self.bottom:
            self.cells.insert(self.bottom + 1, [" "] * self.columns)
            del self.cells[self.top]
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def obey(self, found):
        private, digits, final, single = found.groups()
        if single == "M":  # reverse index
            if self.row == self.top:
                self.cells.insert(self.top, [" "] * self.columns)
                del self.cells[self.bottom + 1]
            else:
                self.row = max(0, self.row - 1)
        elif single == "7":
            self.saved = (self.row, self.column)
        elif single == "8":
            self.row, self.column = self.saved
        if final is None:
            return
        numbers = [int(number or 0) for number in digits.split(";")] if digits else []
        if private:
            if final in "hl":
                for number in numbers:
                    (self.modes.add if final == "h" else self.modes.discard)(number)
            return
        count = max(1, numbers[0] if numbers else 1)
        line = self.cells[min(self.row, self.rows - 1)]
        column = min(self.column, self.columns - 1)
        if final in "mhlnct":
            return
        if final in "Hf":
            place = (numbers + [1, 1])[:2] if len(numbers) < 2 else numbers
            self.row = min(max(place[0], 1), self.rows) - 1
            self.column = min(max(place[1], 1), self.columns) - 1
        elif final == "A":
            self.row = max(0, self.row - count)
        elif final == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif final == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif final == "D":
            self.column = max(0, column - count)
        elif final == "G":
            self.column = min(count, self.columns) - 1
        elif final == "d":
            self.row = min(count, self.rows) - 1
        elif final == "J":
            which = numbers[0] if numbers else 0
            begin = 0 if which in (2, 3) else self.row + 1
            end = self.row if which == 1 else self.rows
            for row in range(begin if which != 1 else 0, end):
                self.cells[row] = [" "] * self.columns
            if which == 0:
                line[column:] = [" "] * (self.columns - column)
        elif final == "K":
            which = numbers[0] if numbers else 0
            begin = column if which == 0 else 0
            end = column + 1 if which == 1 else self.columns
            line[begin:end] = [" "] * (end - begin)
        elif final == "X":
            end = min(self.columns, column + count)
            line[column:end] = [" "] * (end - column)
        elif final == "b":
            for _ in range(count):
                self.write(self.last)
        elif final == "@":
            line[column:column] = [" "] * count
            del line[self.columns:]
        elif final == "P":
            del line[column:column + count]
            line += [" "] * (self.columns - len(line))
        elif final in "LM":
            for _ in range(min(count, self.bottom - self.row + 1)):
                if final == "L":
                    self.cells.insert(self.row, [" "] * self.columns)
                    del self.cells[self.bottom + 1]
                else:
                    self.cells.insert(self.bottom + 1, [" "] * self.columns)
                    del self.cells[self.row]
        elif final in "ST":
            for _ in range(count):
                if final == "S":
                    self.cells.insert(self.bottom + 1, [" "] * self.columns)
                    del self.cells[self.top]
                else:
                    self.cells.insert(self.top, [" "] * self.columns)
                    del self.cells[self.bottom + 1]
        elif final == "r":
            self.top, self.bottom = 0, self.rows - 1
            if len(numbers) == 2:
                self.top, self.bottom = numbers[0] - 1, numbers[1] - 1
            self.row = self.column = 0
        else:
            raise AssertionError(f"unknown sequence: {found.group()!r}")
