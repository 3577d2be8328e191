"""Plain-text goldens: what is in, what it is converted to. `--write` writes them anew, to be read in the diff.

A file of goldens/ holds cases, each `=== title`, the function, and sections `--- readable`, `--- lean`, `--- map` (user line
of every readable line), `--- fates`; a case has the sections that it is about.
"""
import ast
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def sections(function):
    from footlight import _engine
    readable = _engine.autograph_convert(function, 'readable')
    lean = _engine.autograph_convert(function, 'lean')
    reason = f"not converted: {readable['reason']}\n"
    return {
        'readable': readable['text'] or reason,
        'lean': lean['text'] or reason,
        'map': ' '.join(map(str, readable['line_map'])) + '\n',
        'fates': ''.join(f"{a}-{b} {kind} {fate}{': ' + note if note else ''}\n"
                         for a, b, kind, fate, note in lean['statements']),
    }


def parse(text):
    cases = []
    for part in text.split('=== ')[1:]:
        title, _, rest = part.partition('\n')
        source, *found = rest.split('\n--- ')
        wanted = []
        for section in found:
            name, _, body = section.partition('\n')
            wanted.append((name.strip(), body))
        cases.append((title, source, wanted))
    return cases


def main():
    write = '--write' in sys.argv
    failed = count = 0
    for path in sorted(glob.glob(os.path.join(HERE, 'goldens', '*.txt'))):
        with open(path) as f:
            text = f.read()
        out = []
        for title, source, wanted in parse(text):
            function = ast.parse(source).body[0]
            if isinstance(function, ast.Assign):
                function = function.value
            made = sections(function)
            text = source.strip('\n')
            out.append(f'=== {title}\n{text}\n')
            for name, body in wanted:
                count += 1
                out.append(f'\n--- {name}\n{made[name]}')
                if not write and body.strip('\n') != made[name].strip('\n'):
                    failed += 1
                    print(f'{os.path.basename(path)}: {title}: {name} differs, now:\n{made[name]}')
            out.append('\n')
            # What runs must compile, whatever it looks like.
            if not made['readable'].startswith('not converted') and isinstance(function, ast.FunctionDef):
                compile(ast.parse(made['readable']), 'readable', 'exec')
        if write:
            with open(path, 'w') as f:
                f.write(''.join(out).rstrip('\n') + '\n')
    assert count > 20, 'the goldens were not found'
    print(f'{count} sections, {failed} differ')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
