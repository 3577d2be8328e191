#!/usr/bin/env python3
"""Calls the whole public surface with hostile arguments: eagerly, traced, and traced with shapes not yet known.

    api.py [--calls N] [--seed S] [--first N] [--only NAME]      N calls, 20000 from 0 on; only names that contain NAME
    api.py [--seed S] --case N                                   that call, by the number in a failure
    api.py --call "tf.add(t('float32', [2]), Odd('__len__'))"    a call that you write, with the names of hostile.py

Whatever the arguments, a call must return or raise an ordinary exception, never an internal error; traced, it must give
the same as eagerly, and the same as NumPy where oracle.py knows a counterpart; arrays passed in must not change. A call
is determined by its number and the seed. supervise.py limits time and memory, and says what those limits hide.
"""
import argparse
import ast
import importlib
import random
import sys
import warnings
import zlib

import supervise

# Functions whose traced result is meant to differ: static knowledge, or what runs when.
UNLIKE = ('random', 'dropout', 'get_static_value', 'executing_eagerly', 'is_symbolic', 'static', 'shuffle', 'print',
          'sampler', 'initial', 'empty', 'parallel_stack', 'operator.contains')
# A trace raises these where the op itself accepts the arguments when called eagerly, as in TensorFlow.
ONLY_WHILE_TRACING = ('the window is larger than the input', 'as a Python `bool` is not allowed',
                      'has no value while its function is being traced', 'must be known, got a symbolic tensor',
                      'Cannot infer argument `num`', 'a tensor of unknown rank cannot be taken apart',
                      'Cannot convert a partially known TensorShape',  # beside a symbolic tensor `==` compares values
                      'Cannot convert the TensorShape',
                      "'ord' must be a supported",  # of tf.norm, which looks at its value
                      'Iterating over a symbolic',  # where a list of tensors is wanted, and a variable is given
                      'A dimension must be an integer or None, not <tf.Tensor',  # a shape's + asks a tensor for numbers
                      'to a NumPy array while a function is being traced',  # an array's operator, beside a variable
                      # How many results there are, from sizes or a value of unknown shape.
                      'passed to tf.split is not known; pass it as num=', 'is not known; pass the number of parts',
                      'block_shape must be a vector of known length, its shape is <unknown>')
# And these only where all shapes are known, or where the value is computed: gathered rows are found without this check,
# a gradient nobody asks for and the x of a constant polynomial (`IndexedSlices` made dense) are not computed.
# An unknown rank makes tf.matmul a BatchMatMulV2, which takes int16.
ONLY_EAGERLY = ('Batch dimensions of `params` and `indices` must match', 'more than 32 dimensions', 'segment_ids[',
                "input 'a' is of int16, tf.cast changes it [Op:MatMul]")
# An int beside tensors in a list takes their dtype, as in TensorFlow: in a graph a huge size may become a small one.
NO_MEMORY = ('out of memory', 'larger than any memory', 'would have more than 2**63 - 1 elements')
GIVEN_UP = 'no number between the bounds was accepted'  # an InternalError in TensorFlow too
UNSTEADY = ('Odd(', 'Changing(', 'Lying(', 'Keys(', 'iter(', 'leaked(', 'released(', 'freed(', 'loop(', 'object()',
            'Bare(', 'deep(', 'np.ndarray(', '(i for', 'proxy', 'Subclass.Array((')


MOST_ITEMS = 50  # items of a list that are examined


class Parsed:
    """The text of a call, parsed: the function, and the texts of its arguments."""

    def __init__(self, text):
        call = ast.parse(text, mode='eval').body
        self.text, inner = text, call.func
        self.method = None
        arguments = list(call.args)
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if not isinstance(inner, ast.Name) and isinstance(call.func, ast.Attribute):
            self.method = call.func.attr
            arguments.insert(0, call.func.value)
        self.name = self.method or ast.unparse(call.func)
        self.function = None if self.method else ast.unparse(call.func)
        self.arguments = [ast.unparse(a) for a in arguments]
        self.named = {k.arg: ast.unparse(k.value) for k in call.keywords}

    def values(self, names):
        return ([eval(a, names) for a in self.arguments], {k: eval(v, names) for k, v in self.named.items()})

    def call(self, names, arguments, named):
        if self.method:
            return getattr(arguments[0], self.method)(*arguments[1:], **named)
        return eval(self.function, names)(*arguments, **named)


class Outcome:
    """The outcome of a call: the structure of its value with tensors as arrays, or an exception."""

    def __init__(self, run):
        self.error = self.bug = None
        try:
            self.structure, self.tensors = run()
        except BaseException as error:
            self.error = error
            try:
                words = str(error)
            except BaseException:
                words = ''
            internal = type(error).__name__ in ('InternalError', 'SystemError') and GIVEN_UP not in words
            if internal or 'bug in Footlight' in words:
                self.bug = f'{type(error).__name__}: {words[:600]}'
            elif not isinstance(error, (Exception, KeyboardInterrupt)):
                self.bug = f'not an ordinary exception: {type(error).__name__}: {words[:300]}'


def structure_of(tf, value, tensors, depth=0):
    """Describes the value; appends its tensors to the list."""
    import numpy as np
    kind = type(value)
    if depth > 20 or len(tensors) > 200:
        return '...'
    if kind in (list, tuple) or isinstance(value, tuple) and hasattr(kind, '_fields'):
        return [structure_of(tf, v, tensors, depth + 1) for v in list(value)[:MOST_ITEMS]]
    if kind is dict:
        return {str(k)[:40]: structure_of(tf, v, tensors, depth + 1) for k, v in list(value.items())[:50]}
    if isinstance(value, tf.IndexedSlices) and value.dense_shape is not None:
        value = tf.convert_to_tensor(value)  # a graph that does not know its axis gives the gradient of a gather so
    if isinstance(value, tf.IndexedSlices):
        return [
            'slices',
            structure_of(tf, value.values, tensors, depth + 1),
            structure_of(tf, value.indices, tensors, depth + 1)
        ]
    if isinstance(value, tf.Variable):
        value = value.read_value()
    if isinstance(value, tf.Tensor):
        tensors.append(value)
        return 'tensor'
    if isinstance(value, (np.ndarray, np.generic)):
        return ['array', str(value.dtype), list(value.shape)]
    return repr(value) if kind in (int, float, bool, str, bytes, type(None), complex, tf.DType,
                                   tf.TensorShape) else kind.__name__


def far_apart(want, got):
    """How an array differs from the wanted one; empty if it does not."""
    import numpy as np
    if want.dtype != got.dtype or want.shape != got.shape:
        return f'{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}'
    if not want.size:
        return ''
    if want.dtype.kind in 'fc':
        tolerance = {2: 2e-2, 4: 1e-4, 8: 1e-4 if want.dtype.kind == 'c' else 1e-8}.get(want.dtype.itemsize, 1e-8)
        with np.errstate(all='ignore'):
            wide = want.astype(np.complex128 if want.dtype.kind == 'c' else np.float64)
            size = np.max(np.abs(wide), initial=0, where=np.isfinite(wide))
            right = np.isclose(got.astype(wide.dtype),
                               wide,
                               tolerance,
                               tolerance * max(1., min(size, 1e30)),
                               equal_nan=True)
    else:
        right = want == got
    if np.all(right):
        return ''
    at = int(np.argmin(np.reshape(right, -1)))
    return f'[{at}] is {got.reshape(-1)[at]!r} instead of {want.reshape(-1)[at]!r}'


def says(error, phrases):
    return any(phrase in str(error) for phrase in phrases)


def difference(want, got):
    """How an outcome differs from the wanted one; empty if it does not."""
    if bool(want.error) != bool(got.error):
        one = got if got.error else want
        if got.error and says(got.error, ONLY_WHILE_TRACING):
            return ''
        if want.error and says(want.error, ONLY_EAGERLY):
            return ''
        if isinstance(one.error, MemoryError) or says(one.error, NO_MEMORY):
            return ''  # not the fault of the call
        return f'{"raises" if got.error else "does not raise"} {type(one.error).__name__}: {str(one.error)[:300]}'
    if want.error:
        return ''
    if want.structure != got.structure:
        return f'{got.structure} instead of {want.structure}'[:400]
    return next((wrong for w, g in zip(want.tensors, got.tensors) for wrong in [far_apart(w, g)] if wrong), '')


class Case:
    """One call in all its modes."""

    def __init__(self, text):
        import numpy as np

        import footlight as tf
        import hostile
        self.tf, self.np, self.names = tf, np, vars(hostile)
        self.parsed, self.random = Parsed(text), random.Random(zlib.crc32(text.encode('utf-8', 'backslashreplace')))
        self.gradient = self.random.random() < .3
        self.found = []

    def numbers(self, tensors):
        """The tensors as arrays that NumPy can compare."""
        tf, arrays = self.tf, []
        for x in tensors:
            if x.dtype not in (tf.resource, tf.variant):
                x = tf.cast(x, tf.float32) if x.dtype == tf.bfloat16 else x
                arrays.append(self.np.asarray(x.numpy(), object if x.dtype == tf.string else None))
        return arrays

    def result(self, arguments, named):
        """(structure, tensors) of the call, and in some cases of the gradients of its result."""
        tf, tensors = self.tf, []
        if not self.gradient:
            return structure_of(tf, self.parsed.call(self.names, arguments, named), tensors), tensors
        sources = [x for x in [*arguments, *named.values()] if isinstance(x, tf.Tensor) and x.dtype.is_floating]
        with tf.GradientTape() as tape:
            for x in sources:
                tape.watch(x)
            structure = structure_of(tf, self.parsed.call(self.names, arguments, named), tensors)
        targets = [y for y in tensors if y.dtype.is_floating]
        if sources and targets:
            structure = [structure, structure_of(tf, tape.gradient(targets, sources), tensors)]
        return structure, tensors

    def eager(self):
        arguments, named = self.parsed.values(self.names)
        before = [(x, x.copy()) for x in arguments
                  if type(x) is self.np.ndarray and x.size < 10000 and not x.dtype.hasobject]
        structure, tensors = self.result(arguments, named)
        for array, copy in before:
            if array.tobytes() != copy.tobytes() and not any(word in self.parsed.text
                                                             for word in ('Odd(', 'Changing(', 'operator.i',
                                                                          'operators.set_item(')):
                self.note('changes an array', 'the array that was passed has other elements afterwards')
        self.arguments, self.given_names = arguments, named
        return structure, self.numbers(tensors)

    def traced(self, given):
        """The call in a tf.function: its tensors are captured, or passed with some dimensions or the rank unknown."""
        tf = self.tf
        arguments, named = self.parsed.values(self.names)
        everything = [*enumerate(arguments), *named.items()]
        places = [i for i, x in everything if type(x) is tf.Tensor and not tf.is_symbolic_tensor(x)] if given else []
        inputs = [dict(everything)[i] for i in places]
        specs = [self.spec(x) for x in inputs]
        kept = []

        def body(*symbolic):
            mine, own = list(arguments), dict(named)
            for i, x in zip(places, symbolic):
                (mine if isinstance(i, int) else own)[i] = x
            structure, tensors = self.result(mine, own)
            kept[:] = [structure]
            return tensors
        function = tf.function(body, input_signature=specs if given else None, autograph=self.random.random() < .3)
        outputs = function(*inputs)
        return kept[0], self.numbers(outputs)

    def spec(self, x):
        kind = self.random.random()
        shape = None if kind < .15 else [None if self.random.random() < .5 else d
                                         for d in x.shape] if kind < .8 else x.shape
        return self.tf.TensorSpec(shape, x.dtype)

    def comparable(self):
        name = self.parsed.function or self.parsed.name
        if any(word in name for word in UNLIKE) or any(word in self.parsed.text for word in UNSTEADY):
            return False
        if self.parsed.method:
            return False
        if name.startswith('operator.') and any(word in self.parsed.text for word in ('bytearray(', 'memoryview(')):
            return False  # these compare themselves with the memory of an eager tensor
        if name in ('tf.size', 'tf.rank', 'tf.shape', 'tf.zeros_like', 'tf.ones_like') and 'IndexedSlices' in self.parsed.text:
            return False  # the sums are computed eagerly, and are not needed in a graph
        return name.startswith('operator.') and not name.startswith('operator.i') or name.startswith(
            'tf.raw_ops.') or type(eval(name, self.names)) is type(self.tf.add)

    def note(self, kind, words):
        self.found.append((kind, words))

    def run(self):
        eager = Outcome(self.eager)
        closed = Outcome(lambda: self.traced(False))
        given = Outcome(lambda: self.traced(True))
        for mode, outcome in (('eagerly', eager), ('traced', closed), ('traced with a signature', given)):
            if outcome.bug:
                self.note('bug', f'{mode}: {outcome.bug}')
        try:
            self.compare(eager, closed, given)
        except MemoryError:
            pass  # the arrays beside each other do not fit the child
        self.probe()
        return self.found

    def compare(self, eager, closed, given):
        if self.found or not self.comparable():
            return
        wrong = difference(eager, closed)
        if wrong:
            self.note('differs', f'traced: {wrong}')
        elif self.has_to_agree(eager, given):
            wrong = difference(eager, given)
            if wrong:
                self.note('differs', f'traced with a signature: {wrong}')
        if not eager.error and not self.gradient:
            self.ask_numpy(eager)

    def has_to_agree(self, eager, given):
        """Whether a trace in which less is known has to do as the eager call did."""
        if self.parsed.function == 'tf.linalg.lstsq':
            return False  # found another way where the sizes are not known, as in TensorFlow
        if not eager.error:
            return not given.error  # an op that needs a shape may say so while tracing
        if isinstance(eager.error, ValueError) and 'hape' in str(eager.error):
            return False  # depends on what is known while tracing, as in TensorFlow
        if self.parsed.function == 'tf.clip_by_global_norm' and self.parsed.arguments[:1] == ['[]']:
            return False  # the scale of no tensors is not computed, as in TensorFlow
        return given.error or given.structure != []  # for a list of no results nothing runs: tf.unstack(x, num=0)

    def ask_numpy(self, eager):
        import oracle
        name = self.parsed.function
        want = oracle.answer(self.tf, name, eval(name, self.names), self.arguments, self.given_names)
        if want is None:
            return
        want = want[:MOST_ITEMS] if isinstance(want, list) else [want]
        if len(want) != len(eager.tensors):
            return self.note('differs from NumPy', f'{len(eager.tensors)} results instead of {len(want)}')
        for w, g in zip(want, eager.tensors):
            w = self.np.asarray(w)
            wrong = far_apart(w.astype(g.dtype) if w.dtype.kind == g.dtype.kind else w, g)
            if wrong:
                return self.note('differs from NumPy', wrong)

    def probe(self):
        """Checks that the call left nothing behind: an open trace, an error, or ops that now behave differently."""
        tf = self.tf
        try:
            if not tf.executing_eagerly() or int(tf.constant(2) + 3) != 5 or tf.function(lambda x: x * 2)(
                    tf.constant(4)).numpy() != 8:
                self.note('left behind', 'a sum is another one afterwards, or a trace goes on')
        except BaseException as error:
            self.note('left behind', f'afterwards 2 + 3 raises {type(error).__name__}: {str(error)[:300]}')


def text_of(seed, number, part):
    import calls
    return calls.without_slow_faults(calls.draw_call(random.Random(f'{seed}:{number}'), part))


def run_text(text):
    sys.setrecursionlimit(1000)
    try:
        case = Case(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return case.run()


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument('--calls', type=int, default=20000)
    words.add_argument('--first', type=int, default=0)
    words.add_argument('--seed', type=int, default=0)
    words.add_argument('--only', default='')
    words.add_argument('--case', type=int)
    words.add_argument('--call')
    words.add_argument('--show', action='store_true', help='the text of the call, without calling it')
    words.add_argument('--child', type=int, nargs=3, help=argparse.SUPPRESS)
    options = words.parse_args()
    warnings.simplefilter('ignore')
    try:
        import numpy as np
    except ImportError:
        print('NumPy is not there')
        return 77
    np.seterr(all='ignore')
    if options.show:
        print(text_of(options.seed, options.case, options.only))
        return 0
    def draw(number):
        return options.call or text_of(options.seed, number, options.only)
    if options.child:
        for name in ('calls', 'footlight', 'hostile'):  # the collections that cases ask for leave out what is there
            importlib.import_module(name)
        descriptor, first, count = options.child
        supervise.child(descriptor, draw, run_text, range(first, first + count))
        return 0
    more = ['--seed', str(options.seed)]
    for name in ('only', 'call'):
        if getattr(options, name):
            more += ['--' + name, getattr(options, name)]
    alone = options.case is not None or bool(options.call)
    first, count = (options.case or 0, 1) if alone else (options.first, options.calls)
    return supervise.supervise(__file__, more, first, count, 'calls')


if __name__ == '__main__':
    sys.exit(main())
