"""A C++ source as far as planting simple bugs needs it: its tokens without comments, and the
statements of its functions. It reads sources that clang-format has formatted and a compiler
takes; of anything else it promises nothing but to end."""
import bisect
import collections
import re

# Where it lies in the text, and whether it is a name, a number, a literal or a sign.
Token = collections.namedtuple("Token", "text begin end kind")
# A statement: `kind` is if, while, return or plain; the positions are of the text. `condition` is
# that of if and while; `body` what an if does, `has_else` whether it has an else; `block` numbers
# the block that it lies in.
Statement = collections.namedtuple("Statement", "kind begin end condition body has_else block")

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*|\s+)
      | (?P<literal>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
                  | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"
                  | (?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
      | (?P<number>\d(?:'?[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S | re.M)
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = set(OPENS.values())
TYPE_WORDS = {"struct", "class", "union", "enum"}


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "literal"
        if kind != "skip":
            found.append(Token(match.group(), match.start(), match.end(), kind))
    return found


def partners_of(tokens):
    """Index of each bracket -> index of the one that belongs to it."""
    partners, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in OPENS:
            open_ones.append(i)
        elif token.text in CLOSES and open_ones:
            other = open_ones.pop()
            partners[i], partners[other] = other, i
    return partners


class Source:
    """One file: its text, tokens, and the statements of its functions."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = tokens_of(text)
        self.partners = partners_of(self.tokens)
        self.statements = []
        self.bodies = []  # of functions: indices of the first token and the one behind the last
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.blocks = 0
        self._find_bodies()

    def line_of(self, position):
        return bisect.bisect_right(self.line_starts, position)

    def lines_at(self, begin, end):
        """The text of all lines that the range touches."""
        first = self.line_starts[self.line_of(begin) - 1]
        last = self.text.find("\n", max(begin, end - 1))
        return self.text[first:last if last >= 0 else len(self.text)]

    def is_spaced(self, token):
        """A binary operator, as clang-format writes it."""
        return (self.text[token.begin - 1].isspace() and token.end < len(self.text) and
                self.text[token.end].isspace())

    # ---- functions ----

    def _find_bodies(self):
        i, header = 0, 0
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text in ("(", "["):
                i = self.partners.get(i, i)
            elif text == "{":
                words = [t.text for t in self.tokens[header:i]]
                end = self.partners.get(i, len(self.tokens) - 1)
                if self._is_function(words):
                    self.bodies.append((i, end + 1))
                    self._block(i)
                    i, header = end, end + 1
                elif "namespace" in words or TYPE_WORDS & set(words):
                    header = i + 1
                else:
                    i = end  # a value between braces
            elif text in (";", "}") or (text == ":" and self.tokens[i - 1].text in
                                        ("public", "private", "protected")):
                header = i + 1
            i += 1

    @staticmethod
    def _is_function(words):
        if "(" not in words or words[0] in TYPE_WORDS or "namespace" in words:
            return False
        first = words.index("(")
        return "=" not in words[:first]

    # ---- statements ----

    def _block(self, i):
        """The statements between braces; index of the token behind them."""
        end = self.partners.get(i, len(self.tokens) - 1)
        self.blocks += 1
        block = self.blocks
        i += 1
        while i < end:
            i = max(i + 1, self._statement(i, block))
        return end + 1

    def _statement(self, i, block):
        word = self.tokens[i].text
        if word == "{":
            return self._block(i)
        if word == "if":
            return self._if(i, block)
        if word in ("for", "while", "switch"):
            return self._loop(i, block)
        if word == "do":
            return self._statement(i + 1, block)
        if word in ("case", "default"):
            while self.tokens[i].text != ":":
                i += 1
            return i + 1
        return self._plain("return" if word == "return" else "plain", i, block)

    def _if(self, i, block):
        begin = i
        is_constexpr = self.tokens[i + 1].text == "constexpr"
        i += 2 if is_constexpr else 1
        condition = (i + 1, self.partners[i])
        self._lambdas(*condition)
        body = self.partners[i] + 1
        i = self._statement(body, block)
        body_end = self.tokens[i - 1].end
        has_else = i < len(self.tokens) and self.tokens[i].text == "else"
        if has_else:
            i = self._statement(i + 1, block)
        if not is_constexpr:
            self._add("if", begin, i, condition, (self.tokens[body].begin, body_end), has_else,
                      block)
        return i

    def _loop(self, i, block):
        begin, word = i, self.tokens[i].text
        condition = (i + 2, self.partners[i + 1])
        self._lambdas(*condition)
        i = self._statement(self.partners[i + 1] + 1, block)
        if word == "while":
            self._add("while", begin, i, condition, None, False, block)
        return i

    def _plain(self, kind, i, block):
        begin = i
        while i < len(self.tokens) and self.tokens[i].text not in (";", "}"):
            if self.tokens[i].text in OPENS:
                partner = self.partners.get(i, i)
                if self.tokens[i].text == "{" and self._is_lambda_body(i):
                    self._block(i)
                else:
                    self._lambdas(i + 1, partner)
                i = partner
            i += 1
        self._add(kind, begin, i + 1, None, None, False, block)
        return i + 1

    def _lambdas(self, i, end):
        """The statements of the lambdas within an expression."""
        while i < end:
            if self.tokens[i].text == "{" and self._is_lambda_body(i):
                i = self._block(i)
            else:
                i += 1

    def _is_lambda_body(self, i):
        before = self.tokens[i - 1].text
        if before == "mutable":
            i, before = i - 1, self.tokens[i - 2].text
        if before == "]":
            return True
        if before != ")":
            return False
        opener = self.partners.get(i - 1, i - 1)
        behind = self.tokens[opener - 1].text
        return behind == "]" or (behind == ">" and self._is_behind_capture(opener - 1))

    def _is_behind_capture(self, i):
        depth = 0
        while i > 0:
            depth += {">": 1, "<": -1}.get(self.tokens[i].text, 0)
            i -= 1
            if depth == 0:
                break
        return self.tokens[i].text == "]"

    def _add(self, kind, begin, end, condition, body, has_else, block):
        positions = None
        if condition:
            first, last = condition
            positions = (self.tokens[first].begin, self.tokens[last - 1].end)
        self.statements.append(Statement(kind, self.tokens[begin].begin, self.tokens[end - 1].end,
                                         positions, body, has_else, block))
