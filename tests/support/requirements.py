#!/usr/bin/env python3
"""Writes tests/requirements.md: which tests show which requirement, and that a complaint, defect or
report has no cause here. Without --write it checks that the page is current.

A C++ test has the numbers as tags: "[session][R012][C09]". A Python test has the comment
"# Shows R012, C09." in the line above it. tests/requirements.txt lists first the requirements
(R001), then the complaints (C01), the defects (D01) and the newer reports (N01):

  number | what it asks | the ruling that replaces it, or nothing | what its tests leave out, if any
"""
import argparse
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = TESTS / "requirements.txt"
PAGE = TESTS / "requirements.md"
COMMAND = "tests/support/requirements.py --write"
CPP_TEST = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+),\s*"([^"]*)"')
NUMBER = re.compile(r"R\d{3}|[CDN]\d{2}")
CPP_TAG = re.compile(r"\[([RCDN]\d+)\]")
PYTHON_TEST = re.compile(r"^ *# Shows ([RCDN]\d+(?:, [RCDN]\d+)*)\.\n *def (test_\w+)", re.MULTILINE)
PYTHON_TAG = re.compile(r"^ *# Shows [RCDN]\d+", re.MULTILINE)
HEAD = (
    "# Requirements, complaints, defects and reports, and the tests that show them\n\n"
    f"`{COMMAND}` writes this page from [requirements.txt](requirements.txt) and from the tags of "
    "the tests. A test is named if it fails without what is asked, or without what a ruling puts "
    'in its place. "Not yet" says what no test shows.\n')
# The first letter of the numbers, the title, a sentence, and what the second column says.
KINDS = (
    ("R", "Requirements", "The system must do all of this.", "Asks"),
    ("C", "Complaints", "Users of such systems complain of this. Each line ends with what is so here.",
     "Complaint, and what is so here"),
    ("D", "Defects", "The system that this one replaces had these faults. None of them is here.",
     "Defect"),
    ("N", "Reports", "Users reported this of other programs. Each line ends with what is so here.",
     "Report, and what is so here"))


def read_requirements(text):
    """Returns number, what is asked, ruling and what is left out of each requirement, in order."""
    rows = []
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) not in (3, 4) or not NUMBER.fullmatch(fields[0]) or not fields[1]:
            sys.exit(f"{REQUIREMENTS.name}: not number | asks | ruling [| left out]: {line}")
        rows.append(fields + [""] * (4 - len(fields)))
    numbers = [row[0] for row in rows]
    kinds = "".join(kind[0] for kind in KINDS)
    if numbers != sorted(set(numbers), key=lambda number: (kinds.index(number[0]), number)):
        sys.exit(f"{REQUIREMENTS.name}: the numbers do not ascend")
    return rows


def tagged_tests(path, text):
    """Returns the name and the numbers of each test that shows a requirement."""
    if path.suffix == ".py":
        found = [(name, numbers.split(", ")) for numbers, name in PYTHON_TEST.findall(text)]
        tags, taken = len(PYTHON_TAG.findall(text)), len(found)
    else:
        found = [(re.sub(r'"\s*"', "", name).strip()[1:-1], CPP_TAG.findall(tag))
                 for name, tag in CPP_TEST.findall(text)]
        found = [(name, numbers) for name, numbers in found if numbers]
        tags, taken = len(CPP_TAG.findall(text)), sum(len(numbers) for _, numbers in found)
    if tags != taken:
        sys.exit(f"{path}: a requirement's number that belongs to no test")
    return found


def shown_by(numbers):
    """Returns the links to the tests of each number."""
    links = {number: [] for number in numbers}
    for path in sorted([*TESTS.rglob("*_test.cpp"), *TESTS.rglob("*_test.py")]):
        where = path.relative_to(TESTS).as_posix()
        for name, shown in tagged_tests(path, path.read_text(encoding="utf-8")):
            for number in shown:
                if number not in links:
                    sys.exit(f'{where}: "{name}" shows {number}, which {REQUIREMENTS.name} lacks')
                links[number].append(f'["{name}"]({where})')
    return links


def table(rows, links, column):
    """Returns the lines of a kind's table and its count."""
    lines = [f"| Number | {column} | Ruling | Shown by |", "|---|---|---|---|"]
    shown = in_part = 0
    for number, asks, ruling, left_out in rows:
        tests = ", ".join(links[number])
        if left_out and not tests:
            sys.exit(f"{REQUIREMENTS.name}: {number} says what its tests leave out and has none")
        if left_out:
            in_part += 1
            tests += f". Not yet: {left_out}"
        elif tests:
            shown += 1
        lines.append(f"| {number} | {asks} | {ruling} | {tests or 'not yet'} |")
    return lines, f"{shown} of {len(rows)} shown, {in_part} in part"


def page(rows, links):
    """Returns the page and its counts."""
    text, counts = HEAD, []
    for letter, title, sentence, column in KINDS:
        of_kind = [row for row in rows if row[0].startswith(letter)]
        lines, count = table(of_kind, links, column)
        text += f"\n## {title}\n\n{sentence} {count}.\n\n" + "\n".join(lines) + "\n"
        counts.append(f"{title.lower()}: {count}")
    return text, "\n".join(counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the page")
    arguments = parser.parse_args()
    rows = read_requirements(REQUIREMENTS.read_text(encoding="utf-8"))
    text, counts = page(rows, shown_by([row[0] for row in rows]))
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"tests/{PAGE.name} is not current; run {COMMAND}")
    print(counts)


if __name__ == "__main__":
    main()
