"""Lists the texts that users see, for review, and fails if one uses a word that the project replaced.

    texts.py ROOT --list     prints every text with its file and line
    texts.py ROOT            checks them
    texts.py --self-test     checks that offences are found
"""

import pathlib
import re
import sys

FOLDERS = ('app', 'engine/cli', 'engine/explain', 'engine/keys', 'engine/model', 'engine/query', 'engine/record',
           'engine/session')

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)

# A pattern, and what to write instead.
REPLACED = (
    (r'\bmade a tf\.function again\b', 're-created on each iteration'),
    (r'\bin (one|a) walk\b|\bof its walk\b', 'Fused'),
    (r'\bgave way to\b', 'replaced by'),
    (r'\bLight all\b', 'Highlight all'),
    (r'\bdrag marks\b', 'Drag to select'),
    (r'\bwalk the bars\b', 'selects a part'),
    (r'\bit took SIG|\(it took ', '(SIGTERM was needed)'),
    (r'\bdied and came again\b', 're-created'),
    (r'\bLooked for and not found\b', 'Checked, no problem'),
    (r'\bserved a single call\b', 'were used once'),
    (r'\bruns? its ops one by one\b', 'runs eagerly: N separate ops'),
    (r'\bmany shapes\b', 'N different shapes'),
    (r'\bfew of the graphs\b', 'Most graphs differ only in constants'),
    (r'\bno edit of one line\b', 'more than a one-line edit'),
    (r'\bonly another run shows\b', 'Not verified: run again to measure it'),
    (r'\bsession files?\b', 'recording'),
    (r'\b(this|the|a|no|of|open|whole) session\b', 'recording'),
    (r"\b(which two|which format|which recording|which script|what is ')", 'NAME needs ...; usage: ...'),
    (r'\bof which nothing runs\b', 'cannot be run'),
    (r'\b(in|of) (its |the )?walks?\b', 'fused loop'),
    (r'\bit is no part of the totals\b', 'the totals do not include it'),
    (r'\bin all, with what it runs\b', 'in total, including what it calls'),
    (r'\bhow many were found\b', 'Number of matches'),
    (r'\bmakes? no sense\b|\bnot what it should be\b|\bnot where it says\b', 'damaged, or a wrong position'),
)


def texts(source):
    """The literals of C++ source with their lines; adjacent literals are one text."""
    source = LITERAL_OR_COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else '\n' * m[0].count('\n'), source)
    found, end = [], None
    for match in LITERAL.finditer(source):
        line_start = source.rfind('\n', 0, match.start()) + 1
        if source.startswith('#include', line_start):
            continue
        if end is not None and not source[end:match.start()].strip():
            found[-1][1] += match[1]
        else:
            found.append([source.count('\n', 0, match.start()) + 1, match[1]])
        end = match.end()
    return [(line, text) for line, text in found if len(re.findall('[A-Za-z]{2,}', text)) > 1 and ' ' in text]


LITERAL_OR_COMMENT = re.compile(f'{LITERAL.pattern}|{COMMENT.pattern}', re.DOTALL)


def all_texts(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in ('.cpp', '.h'):
                for line, text in texts(path.read_text()):
                    yield f'{path.relative_to(root)}:{line}', text


def offences(places_and_texts):
    for place, text in places_and_texts:
        for pattern, instead in REPLACED:
            if re.search(pattern, text):
                yield f'{place}: "{text}" should say: {instead}'


def self_test():
    source = 'f("Light all of "  // why\n  "this op");  // "which two?"\n#include "no session.h"\n'
    assert texts(source) == [(1, 'Light all of this op')], texts(source)
    found = list(offences([('a.cpp:1', 'Light all of this op'), ('a.cpp:2', 'Highlight all of this op')]))
    assert found == ['a.cpp:1: "Light all of this op" should say: Highlight all'], found


def main(arguments):
    if arguments == ['--self-test']:
        return self_test()
    root = pathlib.Path(arguments[0])
    if '--list' in arguments:
        for place, text in all_texts(root):
            print(f'{place}\t{text}')
        return None
    found = list(offences(all_texts(root)))
    for offence in found:
        print(offence)
    return 1 if found else None


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
