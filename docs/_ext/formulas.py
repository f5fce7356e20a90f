"""Formulas of docstrings as LaTeX: plain text in the source, where it is read as it stands, mathematics on the page.

An indented block below a sentence is a formula. What the small grammar here cannot read is shown as it stands.
"""

import re

TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<dots>\.\.\.)|(?P<norm>\|\|)|(?P<goal>minimise_[\w,]+)"
    r"|(?P<name>length_scale|d\.o\.f\.|log2|coef0|[A-Za-z]+(?:'s\b)?)|(?P<hat>\^(?=\s|\)|\^|\(x(?:_i)?\)))|(?P<star>(?<=\w)\*(?!\w))"
    r"|(?P<operator><=|>=|->|<-|\+-|[-+=<>~*/.,;:!|()\[\]{}^_'])|(?P<space>\s+)"
)
GREEK = {
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "eps",
        "eta",
        "theta",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "omega",
        "phi",
        "pi",
        "psi",
    ),
    *("epsilon", "rho", "sigma", "tau", "zeta", "chi", "Delta", "Gamma", "Lambda", "Omega", "Phi"),
}
FUNCTIONS = {"exp", "log", "sin", "cos", "max", "min", "sup", "inf", "det", "sum", "prod"}
OPERATORS = {
    "sign",
    "relu",
    "diag",
    "tr",
    "mean",
    "median",
    "Var",
    "clip",
    "sech",
    "dof",
    "op",
    "eig",
    "deviance",
    "loss",
    "rate",
}
SIGNS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "->": r"\to ",
    "<-": r"\leftarrow ",
    "+-": r"\pm ",
    "~": r"\sim ",
    "*": r"\cdot ",
    "{": r"\{",
    "}": r"\}",
}
CLOSING = {"(": ")", "{": "}", "[": "]"}


class UnreadableError(Exception):
    """A text that is no formula of this grammar."""


def tokens_of(text):
    """(kind, text) of each token."""
    at, found = 0, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise UnreadableError(text)
        found.append((match.lastgroup, match[0]))
        at = match.end()
    return found


def group_end(tokens, at):
    """Index of the token that closes the bracket at `at`."""
    opening, depth = tokens[at][1], 0
    for index in range(at, len(tokens)):
        depth += (tokens[index][1] == opening) - (tokens[index][1] == CLOSING[opening])
        if depth == 0:
            return index
    raise UnreadableError(opening)


def name_as_latex(name):
    """A letter, a Greek letter, a function, a parameter, or None: a word of English."""
    if name in GREEK:
        return rf"\{'varepsilon' if name == 'eps' else name} "
    if name in FUNCTIONS:
        return rf"\{name} "
    if name in OPERATORS:
        return rf"\operatorname{{{name}}} "
    if name == "E":
        return r"\mathbb{E} "
    if name in {
        "length_scale",
        "degree",
        "exponent",
        "coef0",
        "period",
        "radius",
        "scale",
        "lat",
        "lon",
        "mixing",
        "pool",
    }:
        return rf"\mathrm{{{name}}}".replace("_", r"\_")
    if name in {"zbar", "ybar"}:
        return rf"\bar{{{name[0]}}}"
    if name == "log2":
        return r"\log_2 "
    return name if len(name) == 1 else None


def is_word(tokens, at):
    """Whether the name at `at` is English: no symbol, or an article before a word."""
    name, *after = [text for _, text in tokens[at : at + 4] if not text.isspace()]
    if name == "a":
        return bool(after) and len(after[0]) > 1 and after[0].isalpha() and name_as_latex(after[0]) is None
    return name_as_latex(name) is None and not (at + 1 < len(tokens) and tokens[at + 1][1] in {"_", "^", "("})


def script_as_latex(tokens, at):
    """(LaTeX, next index) of what follows ^ or _: a bracket without its signs, or one signed token."""
    if at < len(tokens) and tokens[at][1] in {"(", "{"}:
        end = group_end(tokens, at)
        return as_latex(tokens[at + 1 : end]), end + 1
    sign = ""
    if at < len(tokens) and tokens[at][1] == "-":
        sign, at = "-", at + 1
    if at >= len(tokens) or tokens[at][0] not in {"number", "name"}:
        raise UnreadableError("script")
    kind, text = tokens[at]
    word = text if kind == "number" else name_as_latex(text) or (rf"\text{{{text}}}" if len(text) > 2 else text)
    return sign + word, at + 1


def words_from(tokens, at):
    """(LaTeX, next index) of the English words that begin here."""
    words = []
    while at < len(tokens) and (tokens[at][0] == "space" or (tokens[at][0] == "name" and is_word(tokens, at))):
        words.append(tokens[at][1])
        at += 1
    return rf"\text{{ {''.join(words).strip()} }}", at


def one_as_latex(tokens, at):
    """(LaTeX, next index) of the token at `at`, with the bracket or script that belongs to it."""
    kind, text = tokens[at]
    if text == "sqrt" and at + 1 < len(tokens) and tokens[at + 1][1] == "(":
        end = group_end(tokens, at + 1)
        return rf"\sqrt{{{as_latex(tokens[at + 2 : end])}}}", end + 1
    if text in {"^", "_"} and kind == "operator":
        script, after = script_as_latex(tokens, at + 1)
        return f"{text}{{{script}}}", after
    if kind == "goal":
        below = ", ".join(as_latex(tokens_of(name)) for name in text.removeprefix("minimise_").split(","))
        return rf"\operatorname*{{minimise}}_{{{below}}} ", at + 1
    if kind == "name":
        if at + 1 < len(tokens) and tokens[at + 1][0] == "hat":
            return rf"\hat{{{name_as_latex(text) or text}}}", at + 2
        if is_word(tokens, at):
            return words_from(tokens, at)
        return name_as_latex(text) or rf"\mathrm{{{text}}}", at + 1
    if text == ".":
        return r" \cdot ", at + 1
    plain = {"dots": r"\dots ", "norm": r"\|", "space": " ", "star": "^{*}"}.get(kind, text)
    return SIGNS.get(text, plain) if kind == "operator" else plain, at + 1


def as_latex(tokens):
    """LaTeX of tokens, one after the other."""
    at, found = 0, []
    while at < len(tokens):
        latex, at = one_as_latex(tokens, at)
        found.append(latex)
    return "".join(found)


def lines_of(block):
    """Formulas that stand beside each other, with room between them, below each other: pages may be narrow."""
    for line in block:
        pieces = re.split(r"\s{2,}", re.sub(r"`(\w+)`", r"\1", line.strip()))
        label = ""
        for piece in pieces:
            if piece.startswith("minimise_"):
                label = as_latex(tokens_of(piece))
            elif piece.endswith(":"):
                label = rf"\text{{{piece}}}\quad "
            else:
                yield label, piece
                label = ""


def formula(block):
    """Lines of a math directive, or None where the block is none that can be read."""
    text = " ".join(block)
    if not re.search(r"[=~<>]|->|<-|minimise", text) or re.search(r"[\"#]|`\w+[^\w`]", text):
        return None
    try:
        rows = [f"& {label}{as_latex(tokens_of(piece)).strip()}" for label, piece in lines_of(block)]
    except UnreadableError:
        return None
    return [".. math::", "", r"    \begin{aligned}", *(rf"    {row} \\" for row in rows), r"    \end{aligned}", ""]


def blocks_of(lines):
    """(is a formula, lines) of the parts of a docstring, in their order."""
    part, inside, heading, before = [], False, "", ""
    for line in lines:
        indented = line.startswith("    ")
        begins = (
            indented
            and not inside
            and not before.strip()
            and not heading.startswith((" ", ".."))
            and heading[-2:] != "::"
        )
        ends = inside and line.strip() and not indented
        if begins or ends:
            yield inside, part
            part, inside = [], bool(begins)
        part.append(line)
        heading, before = line if line.strip() else heading, line
    yield inside, part


def formulas_as_mathematics(app, what, name, obj, options, lines):
    """Replace the indented formulas of a docstring by mathematics, or show them as they stand, without reST markup."""
    shown = []
    for is_formula, part in blocks_of(lines):
        if not is_formula:
            shown += part
            continue
        read = formula([line for line in part if line.strip()])
        shown += ["::", "", *part, ""] if read is None else read
    lines[:] = shown


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    # Before numpydoc (priority 500), which rewrites the sections below.
    app.connect("autodoc-process-docstring", formulas_as_mathematics, priority=100)
    return {"parallel_read_safe": True}
