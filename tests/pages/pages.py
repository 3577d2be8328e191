"""Checks the pages of the tree: paths that they name exist, and no page is too long.

    pages.py ROOT         checks all pages under ROOT
    pages.py --self-test  checks that offences are found
"""

import os
import pathlib
import re
import sys
import tempfile

MAX_PAGE, MAX_FOLDER_PAGE = 150, 40
# These pages hold the reasons for decisions of a whole part.
LONG_FOLDER_PAGES = ('kernels/README.md', 'app/README.md')

CODE = re.compile(r'`([^`\n]+)`')
PATH = re.compile(r'[\w.-]+(/[\w.-]+)*\.(h|cpp|py|sh|txt|md|cmake|inc|cu)|[\w.-]+(/[\w.-]+)+')
PLACEHOLDER = re.compile(r'NAME|FAMILY|PART|NN|^build/|\*')


def listed(root):
    """The tree's files as paths from its top, without build trees."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ('build', '.git', '__pycache__')]
        for name in files:
            yield pathlib.Path(folder, name).relative_to(root).as_posix()


def named_paths(text):
    """The paths in backticks, each without placeholders such as NAME."""
    text = re.sub(r'^```.*?^```', '', text, flags=re.MULTILINE | re.DOTALL)
    for code in CODE.findall(text):
        word = code.split()[0]
        if PATH.fullmatch(word) and not PLACEHOLDER.search(word):
            yield word


def exists(root, page, path, names):
    if (root / path).exists() or (page.parent / path).exists():
        return True
    return any(name.endswith('/' + path) for name in names)


def offences(root):
    files = sorted(listed(root))
    folders = {pathlib.PurePosixPath(name).parent.as_posix() for name in files}
    names = [f'/{name}' for name in (*files, *folders)]
    for page in (root / name for name in files if name.endswith('.md')):
        text, where = page.read_text(), page.relative_to(root)
        lines = text.count('\n')
        is_folder_page = page.name == 'README.md' and page.parent != root and str(where) not in LONG_FOLDER_PAGES
        limit = MAX_FOLDER_PAGE if is_folder_page and str(where).startswith(('engine/', 'app/')) else MAX_PAGE
        if str(where) != 'README.md' and lines > limit:
            yield f'{where} has {lines} lines; {limit} is the most'
        for path in named_paths(text):
            if ('.' in path.rsplit('/', 1)[-1] or path.startswith(('engine/', 'app/', 'tests/', 'kernels/', 'packaging/'))) \
                    and not exists(root, page, path, names):
                yield f'{where} names {path}, which does not exist'


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / 'engine').mkdir()
        (root / 'engine/here.h').write_text('')
        (root / 'engine/README.md').write_text('`here.h` and `engine/gone.h`, `NAME.cpp`\n' + '\n' * 40)
        found = list(offences(root))
        assert found == ['engine/README.md has 41 lines; 40 is the most',
                         'engine/README.md names engine/gone.h, which does not exist'], found


def main(arguments):
    if arguments == ['--self-test']:
        return self_test()
    found = list(offences(pathlib.Path(arguments[0]).resolve()))
    for offence in found:
        print(offence)
    return 1 if found else None


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
