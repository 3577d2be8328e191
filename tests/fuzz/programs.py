"""Draws Python programs as text: plain ones, which give the same values traced, and odd ones, which may be refused."""
import textwrap

NAMES = ('a', 'b', 'c', 'été', '变量', 'ﬁ', 'º', '_', 'self_', 'ag__', 'l', 'get_state')
# Odd lines that a program may contain; `v` stands for a variable.
ODD = r'''
v = (yield v)
exec('v = 1.')
v = eval('v')
v = locals()['v']
vars(); dir(); globals()
del v
v = v if v is not None else None
v = (w := v) + w
[(w := z) for z in (v, v)]
v = [z async for z in ()]
print(v, end='')
assert v > 100., v
assert isinstance(v, tf.Tensor), (lambda: v)()
raise ValueError(v)
raise
return
return v, v
return None
return lambda: v
global G; G = v
import os.path as p; v = v + len(p.sep)
from math import pi; v = v * pi
v = v.__class__
v = super()
v = __class__
v = [1.] * 3
v = {**{'k': v}}['k']
v = (*[v], *(v,))[0]
v = f'{v!r:>{10}}{{}}'
v = tf.stack([v, v])
v = tf.cast(v, tf.int32)
v = tf.reshape(v, [1, 1])
v = None
v = 'v'
v = 10 ** 5000
v = -(-(-(-v)))
v = ((((((((((((((((((((((((((((((((((((((((((((((((((v))))))))))))))))))))))))))))))))))))))))))))))))))
v = (lambda v, *, k=1., **o: v + k)(v, k=2.)
v = (lambda: (yield))
v = (lambda a, /, b=2., *c, d=1.: a + b + d)(v)
v = sum(z for z in [v, v] if z is not None)
v = {z: y for z, y in [(1, v)]}[1]
v = [z for y in [[v]] for z in y][0]
v, *rest = v, v, v
(v, [*rest]) = v, [v]
v = max(v, v); v = min(v, 3.)
v = abs(v) ** .5
v = v @ v
v = v[0]
v[0] = v
v.x = v
v = v if v else v
v = not v
v = v and v or v
v = 1. < v < 2. < 3.
v = v in [v]
v = v == None
v = ...
v = float(int(v))
v = float(v)
v = len([v])
v = range(v)
v = sorted([v])
v = list(zip([v], [v]))[0][0]
v = next(iter([v]))
v = list(map(lambda z: z + 1., [v]))[0]
v = dict(k=v).get('k')
v = tf.function(lambda z: z * 2.)(v)
v = tf.cond(v > 0., lambda: v, lambda: -v)
v = tf.while_loop(lambda z: z < 3., lambda z: z + 1., [v], maximum_iterations=3)
v = tf.Variable(v)
v.assign(v)
'''.strip('\n').split('\n')
BLOCKS = r'''
try:
    v = v + 1.
except (ValueError, TypeError) as e:
    v = 0.
else:
    v = v * 2.
finally:
    v = v - 1.
---
try:
    raise KeyError(v)
except KeyError:
    pass
---
try:
    v = v + 1.
except* ValueError:
    v = 0.
---
for q in [1., 2.]:
    v = v + q
else:
    v = v * 2.
---
while v < 2.:
    v = v + 1.
else:
    v = v + .5
---
while True:
    v = v + 1.
    if v > 3.:
        break
---
for q in tf.range(3):
    if q == 1:
        return v
    v = v + 1.
---
for i, (q, r) in enumerate(zip([1., 2.], [3., 4.])):
    v = v + q * r
    continue
---
match v:
    case 1.:
        v = v + 1.
    case [q, *r] if q:
        v = q
    case {'k': z, **r}:
        v = z
    case str(z) | bytes(z):
        v = v + 2.
    case _:
        v = v + 3.
---
with tf.name_scope('s') as s, tf.name_scope('r'):
    v = v + 1.
---
with open('/dev/null') as s:
    v = v + 1.
---
def g(p, *args, q=1., **named):
    nonlocal v
    v = v + q
    return p
v = g(v) + v
---
def g():
    yield v
    return v
v = next(g())
---
async def g():
    async with v as r:
        await r
    return [z async for z in r]
---
class C:
    k = [1. for _ in range(2)]
    def m(self):
        return __class__.k[0] + v
v = C().m()
---
class C(type(v)):
    pass
---
@tf.function
def g(z):
    if z > 0.:
        return z
    return -z
v = g(v)
---
@(lambda f: f)
@tf.autograph.experimental.do_not_convert
def g(z): return z + 1.
v = g(v)
---
def g(n):
    return 0. if n == 0 else 1. + g(n - 1)
v = v + g(20)
---
def g(n):
    return g(n)
v = g(v)
---
if v > 0.:
    w = v
v = w
---
if v > 0.:
    raise ValueError('positive')
---
if v > 0.: v = v + 1.; v = v * 2.
else: pass
---
if v > 0.:
    try:
        return v
    finally:
        v = 0.
---
for q in (lambda: (yield 1.))():
    v = v + 1.
---
items = []
for q in tf.range(3):
    items.append(v)
v = items[-1]
---
items = [v]
while len(items) < 4:
    items.append(items[-1] + 1.)
v = items.pop()
---
lines = """
if v > 0.:
    v = nothing
def f(x):
"""
---
v = \
    v + \
    1.
---
v = (  # a comment (
    v
    # another
    + 1.

)
'''.strip('\n').split('\n---\n')
STYLES = ('crlf', 'tabs', 'form feeds', 'bom', 'latin', 'no newline', 'comments', 'one space', 'cr', 'semicolons')
HOW = ('file', 'file', 'file', 'exec', 'linecache', 'gone', 'changed', 'truncated', 'moved down', 'directory',
       'binary')


class Program:
    """A function of x and y, as the text of a module."""

    def __init__(self, random):
        self.random = random
        self.odd = random.random() < .5
        self.names = random.sample(NAMES, 3)
        self.trying = 0
        self.raises = False  # has a raise or an assert, so an exception is an answer
        self.fresh = 0

    def chance(self, p):
        return self.random.random() < p

    def one(self, of):
        return of[self.random.randrange(len(of))]

    def value(self, depth=0):
        """A float32 scalar, plain enough that eager and traced code agree."""
        if depth > 2 or self.chance(.35):
            return self.one(self.names + ['.5', '1.', '-2.', 'x', 'y', 'K'])
        inner = self.value(depth + 1)
        return self.one(
            (f'({inner} + {self.value(depth + 1)})', f'{inner} * .5', f'-{inner}', f'tf.tanh({inner})',
             f'tf.minimum({inner}, 3.)', f'({inner} if {self.condition(depth + 1)} else {self.value(depth + 1)})',
             f'helper({inner})', f'(lambda z: z + 1.)({inner})', f'[{inner}, 1.][0]', f"{{'k': {inner}}}['k']",
             f'helper(*[{inner}])', f'helper(**dict(z={inner}))', f'sum([{inner}, 1.])',
             f'(lambda z, k={inner}: z - k)(1.)', f'[z for z in ({inner},)][-1]', f'tf.cast({inner}, tf.float32)',
             f'sum([z * .5 for z in tf.stack([{inner}, y])])', f'sum((z for z in {self.stack(inner)} if z {self.against()}), 0.)',
             f'max({inner}, {self.value(depth + 1)})', f'min([{inner}, x])', f'sorted([{inner}, x, y])[1]',
             f'sum([k * z for k, z in zip({self.stack(inner)}, [.5, 2.])])', f'sum(map(helper, {self.stack(inner)}))',
             f'sum(list(filter(lambda z: z {self.against()}, {self.stack(inner)})), 0.)',
             f'sum([z * p for z in {self.stack(inner)} for p in (1., .5)])'))

    def against(self):
        return f'{self.one(("<", ">", "<=", ">=", "!="))} {self.one(("0.", ".7", "x", "y"))}'

    def stack(self, inner):
        return f'tf.stack([tf.convert_to_tensor({inner}), x])'

    def condition(self, depth=0):
        kind = self.random.random()
        if depth > 2 or kind < .6:
            return f'tf.convert_to_tensor({self.one(self.names)}) {self.against()}'
        if kind < .75:
            return f'({self.condition(depth + 1)} {self.one(("and", "or"))} {self.condition(depth + 1)})'
        return self.one(
            (f'not {self.condition(depth + 1)}', 'True', 'K > 5.', f'-3. < tf.convert_to_tensor({self.one(self.names)}) < 1.',
             f'any([{self.condition(depth + 1)}, {self.condition(depth + 1)}])',
             f'all(z {self.against()} for z in ({self.one(self.names)}, x))'))

    def block(self, depth, loop=False):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, loop)
        return [' ' * 4 + line for line in lines]

    def statement(self, depth, loop):
        name = self.one(self.names)
        if self.odd and self.chance(.25):
            return self.odd_lines(name)
        kind = self.random.random() if depth < 3 else self.random.random() * .4
        self.fresh += 1
        k = f'k{self.fresh}'
        if kind < .25:
            return [
                self.one((f'{name} = {self.value()}', f'{name} += {self.value()}', f'{name}: float = {self.value()}'))
            ]
        if kind < .3:
            return [f'{self.names[0]}, {self.names[1]} = {self.value()}, {self.value()}']
        if kind < .34:
            return [
                self.one(
                    ('pass', '...', '"text"', f"f'{{{name}!r}}'", 'assert True, "never"', f'{name} = {name}; pass'))
            ]
        if kind < .4:
            if loop and self.chance(.5):
                return [f'if {self.condition()}:', '    ' + self.one(('break', 'continue'))]
            return [f'{name} = {self.value()}']
        if kind < .5 and self.chance(.4):
            return self.newer(name, k, depth, loop)
        if kind < .6:
            lines = [f'if {self.condition()}:'] + self.block(depth + 1, loop)
            if self.chance(.4):
                lines += [f'elif {self.condition()}:'] + self.block(depth + 1, loop)
            return lines + (['else:'] + self.block(depth + 1, loop) if self.chance(.6) else [])
        if kind < .7:
            return self.one(([f'{k} = tf.constant(0)', f'while {k} < {self.one("0135")}:', f'    {k} += 1'],
                             [f'{k} = 0', f'while {k} < 2:', f'    {k} += 1'])) + self.block(depth + 1, True)
        if kind < .8:
            over = self.one(('tf.range(3)', 'range(2)', '[1., 2.]', 'tf.constant([1., 2., 3.])', 'tf.zeros([0])',
                             'enumerate([1.])'))
            return [f'for {k} in {over}:'] + self.block(depth + 1, True)
        if kind < .86:
            outer = [f'    nonlocal {name}', f'    {name} = {self.value()}'] if self.chance(.3) else []
            inner = [f'    return p + {self.one(("q", "x", "p"))}', f'{name} = {k}({self.value()})']
            return [f'def {k}(p, q=1.):'] + outer + inner
        if kind < .9:
            return ['try:'] + self.block(depth + 1) + ['finally:', f'    {name} = {name} + 1.']
        if kind < .93:
            return ["with tf.name_scope('s'):"] + self.block(depth + 1)
        if kind < .95:
            return ['match KIND:', '    case 0 | 1:'] + ['    ' + line for line in self.block(depth + 2)
                                                         ] + ['    case _:', '        pass']
        if kind < .97 and not loop:
            return [f'if {self.condition()}:', f'    return {name} + 0.']
        return [f'del {self.names[2]}', f'{self.names[2]} = x'] if depth == 0 else ['pass']

    def newer(self, name, k, depth, loop):
        """What only Footlight stages: a match, the else of a loop, raise and assert, None before a loop, unpacking."""
        kind = self.random.randrange(9)
        self.trying += kind == 8
        block = self.block(depth + 2, loop)
        self.trying -= kind == 8
        if kind == 0:
            return [f'match tf.cast({name}, tf.int32) % 4:', '    case 0:'] + ['    ' + line for line in block] + [
                f'    case 1 | 2 as {k} if {self.condition()}:', f'        {name} = {name} + tf.cast({k}, tf.float32)',
                f'    case ({k}):', f'        {name} = {name} - tf.cast({k}, tf.float32) * .5']
        if kind == 1:
            return [f'match ({name}, 1):', f'    case (_, 1) if {self.condition()}:'] + [
                '    ' + line for line in block] + [f'    case (0., {k}):', f'        {name} = helper({name})']
        if kind == 2:
            over = self.one(('tf.constant([1., 2., 3.])', 'range(2)', 'tf.zeros([0])', 'tf.range(3.)'))
            first = [f'{k}_ = 0.'] if depth or loop else []
            return first + [f'for {k} in {over}:', f'    if {self.condition()}:', f'        {k}_ = {self.value()}', '        break'
                    ] + self.block(depth + 2) + ['else:', f'    {k}_ = {self.value()}', f'{name} = {k}_']
        if kind == 3 and not self.trying:  # what a handler might catch is raised while tracing
            self.raises = True
            error = self.one(("ValueError('no')", 'KeyError', f'ZeroDivisionError({name})'))
            return [f'if {self.condition()} and {self.condition()}:', f'    raise {error}']
        if kind in (3, 4):
            self.raises = True
            return [f'assert {self.condition()} or {self.condition()}, {name}']
        if kind == 5:
            return [f'{k} = None', f'for {k}_ in tf.stack([{name}, x, .5]):',
                    f'    if {k} is None or {k}_ {self.one("<>")} {k}:', f'        {k} = {k}_', f'{name} = {k}']
        if kind == 6:
            return [f'{self.names[0]}, {self.names[1]} = tf.stack([{self.value()}, {name}])']
        if kind == 7:
            return [f'if ({k} := tf.convert_to_tensor({self.value()})) {self.against()}:'] + block + [f'{name} = {k}']
        return ['try:', f'    if {self.one(("K > 1.", "K > 2."))}:', "        raise LookupError('caught')"] + block + [
            'except LookupError:', f'    {name} = {self.value()}']

    def odd_lines(self, name):
        text = self.one(BLOCKS) if self.chance(.5) else self.one(ODD)
        import re
        return re.sub(r'\bv\b', name, text).split('\n')

    def body(self):
        start = [f'{name} = x + {self.one(("0.", "1.", "K", "y"))}' for name in self.names]
        lines = start
        for _ in range(self.random.randrange(1, 5)):
            lines += self.statement(0, False)
        if self.odd and self.chance(.05):
            for depth in range(self.one((5, 19, 60))):
                lines += [' ' * depth + f'if x > {depth - 3}.:']
            lines += [' ' * (depth + 1) + 'pass']
        return lines + [f'return {self.names[0]} + {self.names[1]} * .5']

    def text(self):
        """The text of the module: it defines `f` and everything that `f` needs."""
        body = textwrap.indent('\n'.join(self.body()), '    ')
        form = self.one(('def', 'def', 'def', 'method', 'static', 'class method', 'factory', 'lambda', 'wrapped',
                         'partial', 'callable', 'long') + (('async', 'star', 'default', 'lambdas', 'generated',
                                                            'twice', 'dataclass') if self.odd else ()))
        head = ('import functools, dataclasses\nimport footlight as tf\nK = 1.5\nKIND = 1\nG = 0.\n'
                'def helper(z): return z * .25\n\n')
        plain = f'def f(x, y=1.):\n{body}\n'
        inside = textwrap.indent(plain, '    ')
        return head + {
            'def':
            plain,
            'method':
            'class A:\n' + inside.replace('def f(x', 'def f(self, x') + 'f = A().f\n',
            'static':
            'class A:\n    @staticmethod\n' + inside + 'f = A.f\n',
            'class method':
            'class A:\n    @classmethod\n' + inside.replace('def f(x', 'def f(cls, x') + 'f = A.f\n',
            'factory':
            'def make(K):\n    unused = 1\n' + inside + '    return f\nf = make(2.5)\n',
            'lambda':
            f'{self.names[0]} = {self.names[1]} = {self.names[2]} = 1.\nf = lambda x, y=1.: {self.value()}\n',
            'wrapped':
            'def wrap(g):\n    @functools.wraps(g)\n    def inner(*args, **named):\n        return g(*args, **named)\n'
            f'    return inner\n@wrap\n{plain}',
            'partial':
            plain + 'f = functools.partial(f, y=2.)\n',
            'callable':
            'class A:\n' + inside.replace('def f(x', 'def __call__(self, x') + 'f = A()\n',
            'long':
            'def f(\n        x,  # one\n        y: float = (1.,\n                    2.)[0],\n) -> "float":\n'
            f'    """Text\n  of\nlines"""\n{body}\n',
            'async':
            'async ' + plain,
            'star':
            plain.replace('x, y=1.', 'x, /, *rest, y=1., **named'),
            'default':
            plain.replace('y=1.', 'y=[].append'),
            'lambdas':
            'f = (lambda x: x + 1., lambda x: x + 2., lambda x, z=lambda: 3.: x + z())[2]; g = lambda x: x\n',
            'generated':
            f'exec({plain!r})\n',
            'twice':
            plain + plain.replace('.5', '.25'),
            'dataclass':
            '@dataclasses.dataclass\nclass A:\n    k: float = 1.\n' + inside.replace('def f(x', 'def f(self, x') +
            'f = A().f\n'
        }[form]

    def styled(self):
        """(the module's bytes, how to load it)."""
        text, style = self.text(), self.one(STYLES) if self.chance(.4) else ''
        if style == 'tabs':
            text = text.replace('    ', '\t')
        elif style == 'one space':
            text = text.replace('    ', ' ')
        elif style == 'form feeds':
            text = text.replace('\ndef ', '\n\f\ndef ').replace('\n    if', '\n\f    if')
        elif style == 'no newline':
            text = text.rstrip('\n')
        elif style == 'comments':
            text = '\n'.join(line + '  # def f(x): "' if line.endswith((':', '.')) else line
                             for line in text.split('\n'))
            text = text.replace('\n    ', '\n# out\n    ', 3)
        elif style == 'semicolons':
            text = text.replace(' = x + 0.\n', ' = x + 0.;\n')
        encoded = text.encode('utf-8')
        if style == 'latin':
            encoded = ('# coding: latin-1\n# \xe9\n' +
                       text).encode('latin-1', 'ignore') if text.isascii() else encoded
        return {
            'crlf': encoded.replace(b'\n', b'\r\n'),
            'cr': encoded.replace(b'\n', b'\r'),
            'bom': b'\xef\xbb\xbf' + encoded
        }.get(style, encoded), self.one(HOW)
