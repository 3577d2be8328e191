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

TYPE = re.compile(r'(?:class|struct|union|enum(?: class)?)\s+(\w+)')
BORROWED = re.compile(r'using\s+[\w:]*::(\w+)\s*;')
NAMED = re.compile(r'using\s+(\w+)|\b([A-Za-z_]\w*)\s*(?=[({\[=;])')
COMMENT_OR_STRING = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')
MACRO = re.compile(r'[A-Z][A-Z0-9_]+\b')
NO_DECLARATION = ('namespace', 'template', 'extern', 'return')


def names_of(line):
    """What a line of an unnamed namespace declares: each name with what may stand in several files, or None.

    A base class is no declaration, but has to be the same one in all files."""
    borrowed, made = BORROWED.match(line), TYPE.match(line)
    if borrowed:
        return {borrowed[1]: line}
    if made:
        return {base: 'base' for base in re.findall(r'\w+', line[made.end():])} | {made[1]: None}
    return {a or b: None for a, b in NAMED.findall(COMMENT_OR_STRING.sub('', line))}


def declared(text):
    """The names that a file declares for itself alone, and the namespaces that it looks into."""
    names, looks_into, local = {}, set(), False
    for line in text.splitlines():
        if line.startswith('namespace {'):
            local = True
        elif line == '}  // namespace':
            local = False
        elif line.startswith('using namespace '):
            looks_into.add(line)
        elif not line[:1].isalpha() or line.startswith(NO_DECLARATION):
            continue
        elif MACRO.match(line):
            names[line.strip()] = None
        elif local or line.startswith('static '):
            for name, meaning in names_of(line).items():
                if name not in names or names[name] and meaning != 'base':
                    names[name] = meaning
    return names, looks_into


class Batch:
    def __init__(self, looks_into):
        self.files, self.lines, self.names, self.looks_into = [], 0, {}, looks_into

    def takes(self, lines, names, looks_into):
        return (len(self.files) < MOST_FILES and self.lines + lines <= MOST_LINES and looks_into == self.looks_into and
                all(names[n] and names[n] == self.names[n] for n in names.keys() & self.names.keys()))

    def add(self, file, lines, names):
        self.files.append(file)
        self.lines += lines
        self.names.update(names)


def batches(files):
    """The batches, as lists of files: each file joins the first one that takes it."""
    made = []
    for file in files:
        with open(file, encoding='utf-8') as opened:
            text = opened.read()
        lines, (names, looks_into) = text.count('\n'), declared(text)
        if re.search(r'^#\s*define\b', text, re.M):
            lines = MOST_LINES
        batch = next((b for b in made if b.takes(lines, names, looks_into)), None)
        if not batch:
            batch = Batch(looks_into)
            made.append(batch)
        batch.add(file, lines, names)
    return [batch.files for batch in made]


def main(files):
    number = {file: i for i, batch in enumerate(batches(files)) for file in batch}
    for file in files:
        print(number[file])


if __name__ == '__main__':
    main(sys.argv[1:])
