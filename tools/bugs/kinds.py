"""The kinds of simple bugs, and where in a source each of them can be planted.

Statements for speed or for people alone are left as they are: reserve(), CHECK, base::rare, and lines with
a deliberate bug of eventlog/base/mutant.hpp, which the simulator tries.
"""
import collections
import re

# The text from `begin` to `end` is replaced by `text`. `before` and `after`: the lines that it
# touches, without and with it; `near`: the line above, where others of the file read the same.
Bug = collections.namedtuple("Bug", "path line kind begin end text before after near")

NEGATED, BOUND, LEFT_OUT, SWAPPED = "negated", "bound", "left_out", "swapped"
FIRST_LAST, JUNCTION, OPERAND, CONSTANT = "first_last", "junction", "operand", "constant"
KINDS = {
    NEGATED: "a condition is negated",
    BOUND: "a comparison's bound, or a number, is moved by one",
    LEFT_OUT: "a statement is left out",
    SWAPPED: "two arguments, or what two fields are set to, are swapped",
    FIRST_LAST: "first for last, least for most, front for back",
    JUNCTION: "and for or",
    OPERAND: "one of two joined conditions is left out",
    CONSTANT: "true for false",
}
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OTHER_END = {
    "front": "back", "back": "front", "first": "last", "last": "first",
    "begin": "rbegin", "end": "rend", "rbegin": "begin", "rend": "end",
    "find_first_of": "find_last_of", "find_last_of": "find_first_of",
    "find_first_not_of": "find_last_not_of", "find_last_not_of": "find_first_not_of",
    "find": "rfind", "lower_bound": "upper_bound", "upper_bound": "lower_bound",
    "starts_with": "ends_with", "ends_with": "starts_with",
    "min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element",
    "any_of": "all_of", "all_of": "any_of", "none_of": "all_of",
}
LEFT_ALONE = re.compile(r"\b(?:CHECK|mutant|rare|reserve|static_assert|static_cast<void>)\b")
NOT_EXPRESSIONS = {"const", "auto", "static", "constexpr", "using", "struct", "class", "enum",
                   "template", "typename", "goto", "inline", "static_assert", "continue", "break"}
DECLARATION = re.compile(r"[\w:]+(?:<.*>)?(?:\s*[&*])?\s+[&*]?\w+\s*(?:[;={(\[,]|$)", re.S)
# The order of these arguments makes no difference.
SYMMETRIC = {"min", "max", "swap", "equal", "if", "for", "while", "switch", "catch", "sizeof",
             "return", "mutant", "CHECK"}


class Finder:
    """All bugs that can be planted in one source."""

    def __init__(self, source):
        self.source = source
        self.tokens, self.text = source.tokens, source.text
        self.found = []

    def all(self):
        for statement in self.source.statements:
            self._statement(statement)
        self._swapped_fields()
        for begin, end in self.source.bodies:
            for i in range(begin, end):
                self._token(i, begin, end)
        by_effect = {}
        for bug in self.found:
            by_effect.setdefault((bug.begin, bug.end, bug.text), bug)
        found = sorted(by_effect.values(), key=lambda b: (b.begin, b.end, b.kind, b.text))
        alike = collections.Counter((b.kind, b.before, b.after) for b in found)
        return [b._replace(near=self._above(b.line)) if alike[b.kind, b.before, b.after] > 1 else b
                for b in found]

    def _above(self, line):
        lines = self.text.split("\n")[:line - 1]
        return next((" ".join(one.split()) for one in reversed(lines)
                     if one.strip() and not one.lstrip().startswith("//")), "")

    def _add(self, kind, begin, end, text):
        lines = self.source.lines_at(begin, end)
        if LEFT_ALONE.search(lines) or self.text[begin:end] == text:
            return
        start = self.text.index(lines, self.source.line_starts[self.source.line_of(begin) - 1])
        changed = lines[:begin - start] + text + lines[end - start:]
        self.found.append(Bug(self.source.path, self.source.line_of(begin), kind, begin, end, text,
                              " ".join(lines.split()), " ".join(changed.split()), ""))

    # ---- statements ----

    def _statement(self, s):
        if s.condition:
            self._condition(*s.condition)
        if s.kind == "return":
            self._condition(s.begin + len("return "), s.end - 1, is_value=True)
        if s.kind == "if" and not s.has_else and self._is_short(s.body):
            self._add(LEFT_OUT, s.begin, s.end, "{}")
        if s.kind == "plain" and self._is_expression(self.text[s.begin:s.end]):
            self._add(LEFT_OUT, s.begin, s.end, "{}")

    def _is_short(self, body):
        """One statement, in braces or not."""
        return self.text[slice(*body)].count(";") <= 1

    @staticmethod
    def _is_expression(text):
        if re.fullmatch(r"(continue|break);", text):
            return True
        first = re.match(r"\w*", text).group()
        return first not in NOT_EXPRESSIONS and text != ";" and not DECLARATION.match(text)

    def _condition(self, begin, end, is_value=False):
        inner = [i for i, t in enumerate(self.tokens) if begin <= t.begin < end]
        top = list(self._top_level(inner))
        for place, i in enumerate(top):
            if self.tokens[i].text == ";":  # if (auto ok = …; !ok)
                return self._condition(self.tokens[i].end + 1, end)
            if self.tokens[i].text == "?":  # only what stands before it
                return self._condition(begin, self.tokens[top[place - 1]].end)
        texts = [self.tokens[i].text for i in top]
        if not texts or "=" in texts or "{" in texts[:1]:
            return None
        compared = [t for i, t in zip(top, texts)
                    if t in COMPARED and self.source.is_spaced(self.tokens[i])]
        joined = {"&&", "||"} & set(texts)
        if is_value and not compared and not joined and texts[0] != "!":
            return None
        if compared in (["=="], ["!="]) and not joined:
            return None  # that is a bound moved
        if texts[0] == "!" and not joined and not compared:
            return self._add(NEGATED, begin, self.tokens[top[0]].end, "")
        return self._add(NEGATED, begin, end, f"!({self.text[begin:end]})")

    def _top_level(self, inner):
        """Those of the tokens that are in no brackets of their own, brackets included."""
        place = 0
        while place < len(inner):
            i = inner[place]
            yield i
            partner = self.source.partners.get(i)
            if partner is not None and partner > i:
                place += partner - i
                if place < len(inner):
                    yield inner[place]
            place += 1

    # ---- fields and arguments ----

    def _swapped_fields(self):
        statements = [s for s in self.source.statements if s.kind == "plain"]
        for one, next_one in zip(statements, statements[1:]):
            if one.block != next_one.block or self.text[one.end:next_one.begin].strip():
                continue
            a, b = (self._assignment(s) for s in (one, next_one))
            if a and b and a[1] != b[1]:
                text = f"{a[0]} = {b[1]};{self.text[one.end:next_one.begin]}{b[0]} = {a[1]};"
                self._add(SWAPPED, one.begin, next_one.end, text)

    def _assignment(self, statement):
        text = self.text[statement.begin:statement.end]
        parts = re.fullmatch(r"([\w.>()*\[\]-]+) = ([^=;{}]+);", text, re.S)
        return parts.groups() if parts else None

    def _arguments(self, i):
        """Where the arguments behind an opening bracket lie."""
        partner = self.source.partners[i]
        parts, begin = [], i + 1
        for k in self._top_level(range(i + 1, partner)):
            if self.tokens[k].text == ",":
                parts.append((begin, k))
                begin = k + 1
        parts.append((begin, partner))
        return [(self.tokens[a].begin, self.tokens[b - 1].end) for a, b in parts if a < b]

    def _swapped_arguments(self, i):
        token, before = self.tokens[i], self.tokens[i - 1]
        if before.text in SYMMETRIC or (before.kind != "name" and before.text != ">"):
            if token.text != "{" or before.text not in ("(", ",", "return", "=", "{"):
                return
        places = self._arguments(i)
        shapes = [self._shape(self.text[a:b]) for a, b in places]
        for (a, b), (c, d), one, other in zip(places, places[1:], shapes, shapes[1:]):
            if one == other == "expression":
                text = self.text[c:d] + self.text[b:c] + self.text[a:b]
                self._add(SWAPPED, a, d, text)

    @staticmethod
    def _shape(text):
        if re.match(r"\[|\{|const |auto |\w+ \w+$", text):
            return "other"
        if re.fullmatch(r"-?\d\S*|true|false|nullptr|\".*\"|'.*'", text, re.S):
            return "literal"
        return "other" if ";" in text else "expression"

    # ---- tokens ----

    def _token(self, i, begin, end):
        token = self.tokens[i]
        if token.text in COMPARED and self.source.is_spaced(token):
            self._add(BOUND, token.begin, token.end, COMPARED[token.text])
        elif token.text in ("&&", "||") and self.source.is_spaced(token):
            self._add(JUNCTION, token.begin, token.end, "||" if token.text == "&&" else "&&")
            self._operands(i, begin, end)
        elif token.text in ("true", "false"):
            self._add(CONSTANT, token.begin, token.end,
                      "false" if token.text == "true" else "true")
        elif token.kind == "number":
            self._number(i)
        elif token.text in ("(", "{") and i in self.source.partners:
            self._swapped_arguments(i)
        elif token.text in OTHER_END and (self.tokens[i - 1].text in (".", "->", "::")):
            if not self._asks_whether(i):
                self._add(FIRST_LAST, token.begin, token.end, OTHER_END[token.text])
        elif token.text == "next" and self.tokens[i - 1].text == "." and \
                [t.text for t in self.tokens[i + 1:i + 3]] == ["(", ")"]:
            self._add(BOUND, self.tokens[i - 1].begin, self.tokens[i + 2].end, "")

    def _asks_whether(self, i):
        """As in text.find('x') == npos: from either end the answer is the same."""
        closer = self.source.partners.get(i + 1, i)
        behind = self.text[self.tokens[closer].end:self.tokens[closer].end + 40].split()
        return len(behind) > 1 and behind[0] in ("==", "!=") and "npos" in behind[1]

    def _number(self, i):
        token, before = self.tokens[i], self.tokens[i - 1]
        if token.text == "1" and before.text in ("+", "-") and self.source.is_spaced(before):
            self._add(BOUND, self.tokens[i - 2].end, token.end, "")
        elif token.text.isdigit() and before.text != "<":
            self._add(BOUND, token.begin, token.end, str(int(token.text) + 1))

    def _operands(self, i, begin, end):
        """A joined condition without what stands left of the sign, or right of it."""
        left = self._reach(i - 1, -1, begin)
        right = self._reach(i + 1, 1, end)
        if left is None or right is None:
            return
        self._add(OPERAND, self.tokens[left].begin, self.tokens[i + 1].begin, "")
        self._add(OPERAND, self.tokens[i - 1].end, self.tokens[right].end, "")

    def _reach(self, i, step, stop):
        """The last token that belongs to an operand; none: it is a declaration."""
        last = None
        while i != stop:
            token = self.tokens[i]
            if token.text in ("&&", "||", "?", ":", ",", ";", "=", "return") or \
                    (token.text in CLOSERS if step > 0 else token.text in OPENERS):
                return None if token.text == "=" else last
            partner = self.source.partners.get(i)
            i = partner if partner is not None else i
            last = i
            i += step
        return last


OPENERS, CLOSERS = set("([{"), set(")]}")


def bugs_of(source):
    return Finder(source).all()
