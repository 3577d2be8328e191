#!/usr/bin/env python3
"""Says which source files can be compiled as one: those whose unnamed namespaces declare no name twice.

    batches.py FILE...     prints one line per file: the number of its batch

Half of the time of a usual file goes into headers and templates that its neighbours use too. Files that define macros,
or that look into different namespaces (`using namespace`), are kept apart. In the engine's style everything in a
namespace starts in the first column, so a line that starts there declares something.
"""
import re
import sys

MOST_FILES, MOST_LINES = 8, 2500

NAMED = re.compile(r'(?:class|struct|union|enum(?: class)?|using)\s+(\w+)|(\w+)\s*(?=[({\[=;])')
COMMENT_OR_STRING = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')
MACRO = re.compile(r'[A-Z][A-Z0-9_]+\b')
NO_DECLARATION = ('namespace', 'using namespace', 'template', 'extern', 'return', '//', '}', '#')


def declared(text):
    """The names that a file declares for itself, and what else keeps it apart from others."""
    names, local = set(), False
    for line in text.splitlines():
        if line.startswith('namespace {'):
            local = True
        elif line == '}  // namespace':
            local = False
        elif line.startswith('using namespace '):
            names.add(line)
        elif not line[:1].isalpha() or line.startswith(NO_DECLARATION):
            continue
        elif MACRO.match(line):
            names.add(line.strip())
        elif local or line.startswith('static '):
            names.update(a or b for a, b in NAMED.findall(COMMENT_OR_STRING.sub('', line)))
    return names


def batches(files):
    """The batches, as lists of files: each file joins the first one that has room for it and none of its names."""
    made = []  # files, lines, names, directives
    for file in files:
        with open(file, encoding='utf-8') as opened:
            text = opened.read()
        lines, names = text.count('\n'), declared(text)
        looks_into = {name for name in names if name.startswith('using namespace ')}
        names -= looks_into
        if re.search(r'^#\s*define\b', text, re.M):
            lines = MOST_LINES
        for i, (members, so_far, taken, others) in enumerate(made):
            if (len(members) < MOST_FILES and so_far + lines <= MOST_LINES and not names & taken and
                    others == looks_into):
                made[i] = (members + [file], so_far + lines, taken | names, others)
                break
        else:
            made.append(([file], lines, names, looks_into))
    return [members for members, *_ in made]


def main(files):
    number = {file: i for i, batch in enumerate(batches(files)) for file in batch}
    for file in files:
        print(number[file])


if __name__ == '__main__':
    main(sys.argv[1:])
