"""Python's own library through the engine's tree and back: equal trees by ast.dump, from the unparser's text and
from the objects that the bridge writes. Takes a sample of the files; all of them with an argument."""
import ast
import os
import sys
import sysconfig
import warnings


def files():
    library = sysconfig.get_path('stdlib')
    for folder, folders, names in os.walk(library):
        folders[:] = sorted(f for f in folders if f not in ('site-packages', 'dist-packages', '__pycache__'))
        for name in sorted(names):
            if name.endswith('.py'):
                yield os.path.join(folder, name)


# Syntax that a library's sources may lack.
EXTRA = r'''
def f[T: int, *Ts, **P](a: T, /, b=1, *args: *Ts, c, d=2, **kw: P.kwargs) -> None: ...
type Alias[T] = list[T] | None
try:
    pass
except* (ValueError, TypeError) as group:
    pass
match command:
    case [1, "x", *rest] if rest: pass
    case {"k": Point(x=0, y=-1.5j), **others}: pass
    case (None | True | b"y") as one: pass
    case _: pass
async def g():
    async with a as b, c: pass
    async for x in y: pass
    return [await z async for z in w if z]
x = f"{a!r:>{width}} {{}} {'q'}" f'{"\n".join(b)}' if y else lambda *, k=1: (yield)
print(1 .real, -1 ** 2, (-1) ** 2, not (a and b or c), a if b else (c if d else e), (n := 3), *m, **{1: 2, **o})
z: int
(w): int = 3
x[1:2, ::3, ...] = 1e999, 1e999j, '\ud800', b'\x00', 10 ** 5000
with (a, b): pass
del x, (y, z)
'''


def extra():
    """The lines of EXTRA that this Python's grammar accepts."""
    kept, block = [], []
    for line in EXTRA.strip('\n').split('\n') + ['pass']:
        if block and not line.startswith((' ', 'except')):
            try:
                ast.parse('\n'.join(block))
                kept += block
            except SyntaxError:
                pass
            block = []
        block.append(line)
    return '\n'.join(kept) + '\n'


def main():
    from footlight import _engine
    warnings.simplefilter('ignore')
    every = 1 if len(sys.argv) > 1 else 12
    sources = [('extra', extra())]
    for path in list(files())[::every]:
        try:
            with open(path, encoding='utf-8') as f:
                sources.append((path, f.read()))
        except UnicodeDecodeError:
            pass
    checked = failed = 0
    for path, source in sources:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        checked += 1
        text = _engine.autograph_unparse(tree)
        try:
            same = ast.dump(ast.parse(text)) == ast.dump(tree)
        except SyntaxError as error:
            same = False
            print(error)
        copied = ast.dump(_engine.autograph_copy(tree), include_attributes=True) == ast.dump(tree, include_attributes=True)
        if not (same and copied):
            failed += 1
            print(f"{path}: {'the text differs' if not same else 'the copy differs'}")
    assert checked > 20, 'no library found'
    print(f'{checked} files, {failed} differ')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
