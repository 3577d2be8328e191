"""Draws calls as text: recorded ones with a change, and others made from what is known about the parameters."""
import functools

import surface

DTYPES = ('float32', 'float32', 'float32', 'float64', 'int32', 'int32', 'int64', 'bool', 'complex64', 'complex128',
    'string', 'int8', 'int16', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'bfloat16')
SHAPES = ('[]', '[1]', '[3]', '[2, 3]', '[2, 2]', '[3, 3]', '[1, 4, 4, 2]', '[2, 2, 2, 2]', '[2, 3, 4]', '[0]',
    '[0, 3]', '[3, 0]', '[5]', '[2, 1, 3]', '[1, 2, 3, 4, 2]', '[1, 1, 1, 1, 1, 1, 1, 1, 1]', '[8, 8]', '[2, 5, 1]',
    '[70]', '[1000]')
SIZES = ('0', '1', '2', '3', '-1', '-2', '7', '100', '2**31 - 1', '2**31', '-2**31', '2**32', '2**33 + 1', '2**40',
    '2**61', '2**62', '2**63 - 1', '2**63', '-2**63', '-2**63 - 1', '2**64 - 1', '2**64', '10**400', 'True')
NUMBERS = SIZES + ('0.', '-0.', '.5', '1e308', '1e-320', "float('nan')", "float('inf')", "-float('inf')", '1j',
    "complex('nan')", 'np.int8(-128)', 'np.uint64(2**64 - 1)', 'np.float16(1)', 'np.float32(3.5)', 'np.longdouble(1)',
    'np.bool_(True)', 'decimal.Decimal(1)', 'fractions.Fraction(1, 3)', "np.datetime64('2000')", 'np.timedelta64(1)',
    'Subclass.Int(2)', 'Subclass.Float(2.)', 'Subclass.Choice.ONE')
TEXTS = ("''", "'a'", "'SAME'", "'VALID'", "'NHWC'", "'NCHW'", "'float32'", "'\\ud800'", "'a\\0b'", "'a' * 100000",
         "'é/ b'", "'/'", "b'a'", "b'\\xff'", "Subclass.Str('a')", "bytearray(b'ab')", "'ij,jk->ik'", "'...a,a'",
         "'%s%n'", "'{}'", "'REFLECT'", "'(a*)*b'", "'['", "'/device:GPU:99999999999'", "'/CPU:0'")
VALUES = ('None', '()', '[]', '{}', '...', 'NotImplemented', 'slice(None)', 'slice(2**63, -2**63, -2**63)',
          'object()', 'Bare()', 'type', 'set()', 'frozenset([1])', 'range(3)', 'range(2**62)', 'iter([1, 2])',
          '(i for i in [1, 2])', 'memoryview(b"abcd")', 'released()', "array.array('u', 'ab')",
          "array.array('d', [1, 2])", 'np', 'tf', 'tf.float32', 'tf.resource', 'tf.variant', 'tf.string',
          'tf.TensorShape(None)', 'tf.TensorShape([2, None])', 'tf.TensorSpec([None])', 'leaked()', 'traced()',
          'tape()', 'tf.IndexedSlices(tf.ones([2, 3]), [0, 5])', 'tf.IndexedSlices([1.], [2**62], [3])',
          'tf.SparseTensor([[0, 9]], [1.], [2, 3])', "tf.Variable([1., 2.])", "tf.Variable(['a'])",
          "tf.Variable([1, 2], shape=tf.TensorShape(None))", 'traced().graph', 'Subclass.OddPair.of()',
          'Subclass.Pair(1., 2.)', 'Subclass.Data()', 'Subclass.List([1., 2.])', "Subclass.Dict(a=1.)",
          'collections.OrderedDict(b=1., a=2.)', 'collections.defaultdict(list)', 'collections.deque([1., 2.])',
          'types.SimpleNamespace(a=1)', 'types.MappingProxyType({"a": 1.})', 'collections.UserList([1.])',
          'collections.Counter("ab")', 'weakref.proxy(Bare())', 'freed(Bare)', 'copy', 'Exception("a")', 'Boom',
          'property()', 'classmethod(len)')
ARRAYS = ("a('float32', [4, 4])[::-1, ::2]", "a('float32', [2, 3]).T", "np.broadcast_to(np.float32(1), (2**40,))",
    "np.broadcast_to(np.float32(1), (3, 0, 2**40))", "readonly(a('float32', [2, 3]))", "unaligned('float32', 4)",
    "unaligned('<i8', 2)", "np.arange(3, dtype='>i4')", "np.arange(3, dtype='>f8')", "np.zeros(2, [('a', 'f4')])",
    "np.array([1, 'a', None], object)", "np.array([[1], [1, 2]], object)", "np.array(['2000'], 'M8[D]')",
    "np.array(['ab', 'c'])", "np.array([b'ab', b'c'])", "np.zeros((0, 2**61), 'i1')", "np.zeros((1,) * 33)",
    "np.zeros((1,) * 64)", "np.matrix([[1., 2.]])", "np.ma.array([1., 2.], mask=[0, 1])", "np.zeros(3, 'f2')",
    "np.array(1.)", "np.zeros([2, 0, 3])", "np.ndarray((2,), 'f4', b'abcdefgh')", "a('float64', [3])[::-1]",
    "np.lib.stride_tricks.as_strided(np.ones(3), (3,), (-8,))[:1]", "Subclass.Array((2,))", "np.zeros(2, 'V8')",
    "np.array([True])[::2]", "np.array([10**30], object)", "np.array(['\\ud800'], object)",
    "np.array([b'a', tf.ones([2])], object)", "np.longdouble([1, 2])")
FUNCTIONS = ('lambda *a, **k: None', 'lambda *a, **k: a', 'lambda x: x', 'lambda: 1.', 'lambda *a: a[0] if a else 1.',
    'lambda x, y: x + y', 'lambda *a: tf.ones([2])', 'lambda *a: 1 / 0', 'len', 'tf.abs', 'Boom',
    'functools.partial(tf.add, 1.)', 'lambda *a: (yield)', 'tf.function(lambda *a: a)', 'traced()', "lambda *a: 'a'",
    'lambda *a: leaked()', 'lambda *a: [tf.ones([2]), None]', 'lambda *a: object()', 'lambda *a: loop("list")',
    'operator.attrgetter("x")', 'tf.Variable', 'int', 'lambda *a: tf.Variable(1.)', '[].append', 'Odd("__call__")',
    'Odd("__call__", "__name__", action="trace")', 'lambda x: (x, lambda d: d)', 'loop("partial")',
    'lambda x: (x, lambda *d: None)', 'lambda x: (x, lambda *d: d + d)', 'types.MethodType(tf.abs, 1.)',
    'lambda *a: deep(3000)', 'lambda *a: tf.TensorShape(None)', 'type("A", (), {})', 'lambda *a: tf.constant(True)',
    'lambda *a: tf.zeros([0])')
FITTING = {
    'an int': ('0', '1', '-1', '2', '3'),
    'an int or several': ('0', '1', '[0]', '[1, 1]', '[]', '[1, 1, 1, 1]', '[0, 1]', '-1', '2'),
    'a bool': ('True', 'False'),
    'a float': ('.5', '1.', '0.', '-2.'),
    'a dtype': tuple('tf.' + d for d in sorted(set(DTYPES)))
}
# By parameter name, for parameters that the help does not describe.
BY_NAME = (('a dtype', ('dtype', 'out_type', 'dtype_hint', 'output_type',
                        'Tout')), ('a shape', ('shape', 'shapes', 'size', 'dense_shape')),
           ('an int or several',
            ('axis', 'axes', 'dims', 'strides', 'ksize', 'perm', 'indices', 'multiples', 'k', 'num', 'n',
             'rank')), ('a bool', ('keepdims', 'persistent', 'trainable', 'partial', 'exclusive', 'reverse',
                                   'use_locking', 'expand_composites')),
           ('a str', ('name', 'message', 'padding', 'data_format', 'mode', 'string',
                      'key')), ('a function', ('func', 'f', 'fn', 'true_fn', 'false_fn', 'body', 'cond', 'function',
                                               'initializer', 'default', 'constraint')),
           ('a tensor', ('x', 'y', 'a', 'b', 'input', 'value', 'values', 'tensor', 'target', 'sources', 'other',
                         'pred', 'delta')))


class Draw:
    def __init__(self, random):
        self.random = random
        self.dtype, self.shape = random.choice(DTYPES), random.choice(SHAPES)  # of most tensors of a call

    def chance(self, p):
        return self.random.random() < p

    def one(self, of):
        return of[self.random.randrange(len(of))]

    def tensor(self):
        dtype = self.dtype if self.chance(.8) else self.one(DTYPES)
        shape = self.shape if self.chance(.7) else self.one(SHAPES)
        text = f"t('{dtype}', {shape}, {self.random.randrange(9)}{', True' if self.chance(.2) else ''})"
        kind = self.random.random()
        if kind < .08:
            return f'tf.Variable({text})'
        if kind < .16 and dtype != 'bfloat16':
            return 'a' + text[1:]
        return f'{text}.numpy().tolist()' if kind < .2 and shape != '[1000]' else text

    def odd(self):
        """An object with hooks."""
        from hostile import ACTIONS, HOOKS
        hooks = ', '.join(repr(self.one(HOOKS)) for _ in range(self.random.choice((1, 1, 2, 4))))
        base = self.one(
            ('', '', '', '', ', base=list', ', base=dict', ', base=int', ', base=float', ', base=str', ', base=Bare'))
        late = f', late={self.random.randrange(1, 4)}' if self.chance(.2) else ''
        return f'Odd({hooks}, action={self.one(ACTIONS)!r}{base}{late})'

    def changing(self):
        hooks = self.one(("'__index__', '__float__', '__int__', '__array__', '__len__'", "'__array__'",
                          "'__len__', '__getitem__'", "'__eq__', '__hash__'", "'__repr__', '__str__', '__format__'",
                          "'__iter__'", "'__tf_tracing_type__'", "'dtype', 'shape'"))
        inside = self.one(
            ('[]', '[1.]', '[1, 2, 3]', "['a']", '[[1.], [2.]]', '[t("float32", [2])] * 3', '[10**30] * 50',
             '{"a": 1.}', '{"a": [1.], "b": 2}', '{1: t("float32", [])}', '[tf.TensorSpec([2])]'))
        place = ', ' + self.one('012') if inside[0] == '[' else ''
        return f'Changing(({hooks},), {self.one(("clear", "grow", "replace"))!r}, {inside}{place})'

    def shaped(self):
        return self.one(
            (f'loop({self.one(("list", "dict", "tuple", "array", "deque", "partial"))!r})',
             f'deep({self.one((20, 300, 3000, 20000))})', f'deep({self.one((50, 3000))}, tuple)',
             f'deep({self.one((50, 3000))}, dict)', f'doubled({self.one((5, 12))})',
             f'Lying({self.one((0, 1, 3, 1000, "2**40"))}, {self.one((0, 2, 3, 50))}{self.one(("", ", 1000"))})',
             f'Keys({self.one((0, 1, 3))}, {self.one((0, 2, 1000))})',
             f'[{self.value()}] * {self.one((2, 30, 1000))}', f'({self.value()}, {self.value()})',
             f'{{"a": {self.value()}, 2: {self.value()}}}', f'[{self.value()}, {self.tensor()}]'))

    def value(self):
        """Anything."""
        kind = self.random.random()
        for limit, draw in ((.15, lambda: self.one(NUMBERS)), (.25, lambda: self.one(TEXTS)),
                            (.4, lambda: self.one(VALUES)), (.5, lambda: self.one(ARRAYS)), (.6, self.odd),
                            (.68, self.changing), (.76, self.shaped), (.8, lambda: self.one(FUNCTIONS)),
                            (.88, self.numbers)):
            if kind < limit:
                return draw()
        return self.tensor()

    def numbers(self):
        """A list of sizes, or a tensor of them."""
        listed = '[' + ', '.join(self.one(SIZES) for _ in range(self.random.randrange(1, 5))) + ']'
        kind = self.random.random()
        if kind < .2:
            return f"np.array({listed}, 'object').astype('int64')" if '10**400' not in listed else listed
        if kind < .4:
            one = self.one(('2**63 - 1', '-2**63', '2**62', '2**31', '-1'))
            return f'tf.constant([{one}] * {self.random.randrange(1, 4)}, tf.int64)'
        return listed

    def fitting(self, name, kind):
        kind = kind.removesuffix(' or None')
        if kind not in FITTING and kind not in ('a tensor', 'a list of tensors', 'a tensor or a list of tensors',
                                                'a str', 'a shape', 'a function'):
            kind = next((k for k, names in BY_NAME if name in names), '')
        if kind in FITTING:
            return self.one(FITTING[kind])
        if kind == 'a list of tensors':
            return '[' + ', '.join(self.tensor() for _ in range(self.random.randrange(0, 4))) + ']'
        if kind == 'a str':
            return self.one(TEXTS)
        if kind == 'a shape':
            return self.one(SHAPES + ('[-1]', '[None, 2]', 'tf.TensorShape(None)', "tf.constant([2, 3])"))
        if kind == 'a function':
            return self.one(FUNCTIONS)
        return self.tensor() if kind or self.chance(.5) else self.value()

    def hostile(self, name, kind):
        if kind in ('an int', 'an int or several', 'a shape') and self.chance(.5):
            return self.one(SIZES) if self.chance(.5) else self.numbers()
        return self.value()

    def call(self, function):
        """Arguments that fit the described parameters, some of them replaced."""
        known = surface.parameters(function)
        if known is None:
            return [self.value() for _ in range(self.random.randrange(0, 4))], {}
        positional, named, keyword = [], {}, False
        worse = self.one((0, .1, .3, .9))
        for name, kind, optional in known:
            if (optional and self.chance(.65)) or self.chance(.02):
                keyword = True
                continue
            text = self.hostile(name, kind) if self.chance(worse) else self.fitting(name, kind)
            if keyword or self.chance(.1):
                named[name] = text
                keyword = True
            else:
                positional.append(text)
        if self.chance(.03):
            named[self.one(('name', 'dtype', 'axis', 'nothing', 'self'))] = self.value()
        return positional, named

    def recorded(self, args, kwargs):
        """A recorded call with a place or two changed, as a tree of lists."""
        nodes = [self.node(a) for a in args] + [self.node(v) for v in kwargs.values()]
        for _ in range(self.one((0, 1, 1, 1, 2, 3))):
            if nodes:
                at = self.random.randrange(len(nodes))
                nodes[at] = self.changed(nodes[at])
        if self.chance(.04) and len(nodes) > 1:
            nodes[0], nodes[1] = nodes[1], nodes[0]
        texts = [self.text(n) for n in nodes]
        return texts[:len(args)], dict(zip(kwargs, texts[len(args):]))

    def node(self, j):
        """A recorded value as text, or as a list of nodes."""
        if isinstance(j, list):
            return [self.node(x) for x in j]
        if not isinstance(j, dict):
            return repr(j)
        if 'dtype' in j:
            dtype, shape, data = j['dtype'], j['shape'], j['data']
            if len(data) > 12 or any(isinstance(x, (str, dict, list)) for x in data) or not data:
                return f"t('{dtype}', {shape}, {self.random.randrange(9)})"
            return f"tf.constant({data}, '{dtype}', {shape})"
        (kind, inner), = j.items()
        if kind == 'tuple':
            return ('tuple', [self.node(x) for x in inner])
        if kind == 'slice':
            return ('slice', [self.node(x) for x in inner])
        if kind == 'dict':
            return '{' + ', '.join(f'{k!r}: {self.text(self.node(v))}' for k, v in inner) + '}'
        return {
            'float':
            f'float({inner!r})',
            'int':
            f'int({inner!r})',
            'ellipsis':
            '...',
            'DType':
            f'tf.as_dtype({inner!r})',
            'complex':
            f'complex({", ".join(map(str, inner)) if kind == "complex" else ""})'.replace(
                'nan', "float('nan')").replace('inf', "float('inf')"),
            'bytes':
            repr(inner.encode()) if isinstance(inner, str) else "b'a'",
            'TensorShape':
            f'tf.TensorShape({inner!r})'
        }.get(kind) or (f'tf.Variable({self.node(inner)})' if kind == 'variable' else
                        self.node(inner).replace("tf.constant(", "np.array(").replace("t('", "a('", 1) if kind in
                        ('ndarray', 'npscalar') and 'tf.constant' not in self.node(inner) else "np.float32(1)")

    def text(self, node):
        if isinstance(node, tuple):
            inside = ', '.join(map(self.text, node[1]))
            return f'slice({inside})' if node[0] == 'slice' else f'({inside},)' if node[1] else '()'
        return node if isinstance(node, str) else '[' + ', '.join(map(self.text, node)) + ']'

    def changed(self, node):
        inside = node[1] if isinstance(node, tuple) else node
        if not isinstance(node, str) and inside and self.chance(.6):
            at = self.random.randrange(len(inside))
            what = self.random.random()
            new = list(inside)
            if what < .6:
                new[at] = self.changed(new[at])
            elif what < .8:
                new.insert(at, new[at])
            else:
                del new[at]
            return (node[0], new) if isinstance(node, tuple) else new
        if isinstance(node, str) and self.chance(.6):
            if node.lstrip('-').isdigit():
                return self.one(SIZES) if self.chance(.7) else self.one(NUMBERS)
            if 't(' in node or 'np.array' in node:
                return self.tensor() if self.chance(.6) else self.numbers()
            if node[0] in '\'"':
                return self.one(TEXTS)
        return self.value()


OPERATORS = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul', 'and_', 'or_', 'xor', 'lt', 'le',
             'eq', 'ne', 'gt', 'ge', 'lshift', 'contains', 'iadd', 'imul', 'ipow')
PROTOCOLS = ('repr', 'str', 'hash', 'len', 'list', 'tuple', 'bool', 'int', 'float', 'complex', 'abs',
             'operator.index', 'operator.neg', 'operator.invert', 'round', 'format', 'dir', 'vars', 'copy.copy',
             'copy.deepcopy', 'pickle.dumps', 'roundtrip', 'np.asarray', 'np.array', 'memoryview', 'weakref.ref',
             'sorted', 'reversed', 'iter', 'callable', 'type', 'max', 'sum', 'dict', 'bytes', 'next', 'entered',
             'garbage', 'isinstance', 'issubclass', 'divmod', 'np.add', 'np.dot', 'np.from_dlpack',
             'inspect_signature')


@functools.lru_cache(None)
def surfaces():
    functions = surface.callables()
    recorded = {name: calls for name, calls in surface.recorded_calls().items() if name in functions}
    # Raw ops only as recorded: what fits them is not told by the names of their parameters.
    names = sorted(name for name in functions if not name.startswith('tf.raw_ops.'))
    return functions, names, recorded, sorted(recorded)


def only(names, part):
    return [n for n in names if part in n] if part else names


def without_foreign_faults(name, sides):
    """The operands, except those on which NumPy or Python itself recurses, crashes or loops without end."""
    sides = [s.replace("loop('array')", "loop('list')") for s in sides]  # an array's operators look into it
    if any("a('" in s or 'np.' in s for s in sides):  # a list becomes an array, and does not expect to be changed
        sides = ['[1., 2.]' if 'Changing(' in s else s for s in sides]
    if name == 'contains' and ('__getitem__' in sides[0] or '2**62' in sides[0]):  # looks at all items, one by one
        sides[0] = '[1., 2.]'
    return sides


def without_slow_faults(text):
    """The call, except for what takes minutes wherever it runs."""
    if 'regex' in text:  # RE2 takes the square of such a length, in TensorFlow too
        text = text.replace("'a' * 100000", "'a' * 1000")
    return text.replace('[doubled(12)] * 1000', '[doubled(12)] * 30')  # 12 million lists


def member_alone(receiver, name, member, positional, named):
    """The text of a member's call; CPython's own members read a sequence that never ends until memory does."""
    if getattr(member, '__objclass__', None) in (list, tuple, dict) or name == '_make':
        positional = ['[1., 2.]' if '__getitem__' in p and 'Odd(' in p else p for p in positional]
    return written(f'{receiver}.{name}', positional, named)


def draw_call(random, part=''):
    """The text of one call."""
    draw, kind = Draw(random), random.random()
    functions, names, recorded, seeded = surfaces()
    raw = [name for name in only(seeded, part) if name.startswith('tf.raw_ops.')]
    seeded = [name for name in only(seeded, part) if not name.startswith('tf.raw_ops.')]
    if raw and (kind < .15 or not seeded):
        seeded, kind = raw, 0.
    if kind < .45 and seeded:
        name = random.choice(seeded)
        return written(name, *draw.recorded(*random.choice(recorded[name])))
    if (kind < .7 or part) and only(names, part):
        name = random.choice(only(names, part))
        positional, named = draw.call(functions[name])
        if name.endswith('while_loop'):
            named['maximum_iterations'] = random.choice('012')  # a call that asks for an endless loop would get one
        return written(name, positional, named)
    receiver = random.choice(surface.INSTANCES)
    if kind < .9:
        return member_call(draw, receiver)
    if kind < .95:
        sides = [
            draw.tensor() if random.random() < .7 else receiver,
            draw.value() if random.random() < .5 else draw.tensor()
        ]
        random.shuffle(sides)
        name = random.choice(OPERATORS)
        return f'operator.{name}({", ".join(without_foreign_faults(name, sides))})'
    if kind < .97:
        sides = [draw.tensor(), index(draw)]
        return f'operator.getitem({", ".join(without_foreign_faults("getitem", sides))})'
    sides = [receiver] + ([draw.value()] if random.random() < .15 else [])
    name = random.choice(PROTOCOLS)
    if name.startswith('np.') and len(sides) > 1:  # NumPy reads lists without holding their items
        sides = ['[1., 2.]' if 'Changing(' in s else s for s in sides]
    return f'{name}({", ".join(sides)})'


def index(draw):
    """The text between the brackets of an index."""
    def end():
        return draw.one(('None', 'None') + SIZES)

    def part():
        kind = draw.random.random()
        return (draw.one(SIZES) if kind < .3 else f'slice({end()}, {end()}, {end()})'
                if kind < .7 else '...' if kind < .75 else 'None' if kind < .8 else draw.one(
                    ('tf.constant(1)', "t('bool', [2])", "t('int64', [])", "tf.constant(2**62, tf.int64)",
                     'True')) if kind < .9 else draw.value())
    parts = [part() for _ in range(draw.random.randrange(1, 4))]
    return parts[0] if len(parts) == 1 else '(' + ', '.join(parts) + ')'


@functools.lru_cache(None)
def members_of(receiver):
    """[(name, the member looked up on the type)] of the object that the text makes."""
    import hostile
    try:
        instance = eval(receiver, vars(hostile))
        return [(name, getattr(type(instance), name, None)) for name in surface.members(instance)]
    except Exception:
        return []  # an ordinary refusal; the call itself will meet it too


def member_call(draw, receiver):
    known = members_of(receiver)
    if not known:
        return f'repr({receiver})'
    name, member = draw.one(known)
    what = draw.random.random()
    if what < .08:
        return f'setattr({receiver}, {name!r}, {draw.value()})'
    if what < .1:
        return f'delattr({receiver}, {name!r})'
    if what < .11:
        return f'getattr({receiver}, {draw.one("_a")!r} * 101)'  # longer than Python's cache of lookups takes
    if not callable(member) or what < .13:
        return f'getattr({receiver}, {name!r})'
    return member_alone(receiver, name, member, *draw.call(member))


def written(name, positional, named):
    return f'{name}({", ".join(positional + [f"{k}={v}" for k, v in named.items()])})'
