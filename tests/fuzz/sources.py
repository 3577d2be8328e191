#!/usr/bin/env python3
"""Lets AutoGraph convert generated Python sources and runs them, eagerly and traced.

    sources.py [--calls N] [--seed S] [--first N]     N programs, 5000 from 0 on
    sources.py [--seed S] --case N                    that program, by the number in a failure; --show prints it

A plain program has to give the same values traced; an odd one may be refused with an ordinary exception. The files have
odd line ends, encodings and indentation, or are gone, changed or not text when they are traced: the code that runs is
the code that was loaded.
"""
import argparse
import json
import os
import random
import shutil
import sys
import warnings

import supervise


def load(number, text, how):
    """Loads a program as a module and leaves its file in the state that `how` names."""
    import importlib.util
    import linecache
    import types
    path = os.path.abspath(f'program_{number}.py')
    if how in ('exec', 'linecache'):
        name = '<string>' if how == 'exec' else f'<program {number}>'
        module = types.ModuleType(f'program_{number}')
        if how == 'linecache':
            lines = text.decode('utf-8-sig', 'replace').splitlines(True)
            linecache.cache[name] = (len(text), None, lines, name)
        exec(compile(text, name, 'exec'), module.__dict__)
        return module
    with open(path, 'wb') as f:
        f.write(text)
    spec = importlib.util.spec_from_file_location(f'program_{number}', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if how != 'file':
        os.remove(path)
    if how == 'directory':
        os.mkdir(path)
    elif how not in ('file', 'gone'):
        with open(path, 'wb') as f:
            f.write({
                'changed': text.replace(b'.5', b'.75').replace(b'1.', b'100.'),
                'truncated': text[:len(text) // 2],
                'moved down': b'# a line\n\n' + text,
                'binary': b'\0\xff' * 100
            }[how])
    return module


def call(tf, function, arguments):
    """The result as plain numbers, or the exception."""
    try:
        result = function(*arguments)
        return 'value', [float(x) for x in (result if isinstance(result, (tuple, list)) else [result])]
    except BaseException as error:
        try:
            words = str(error)
        except Exception:
            words = ''
        return 'error', type(error).__name__, words, [kind.__name__ for kind in type(error).__mro__]


def is_bug(outcome):
    return outcome[0] == 'error' and (outcome[1] in ('InternalError', 'SystemError') or
                                      'bug in Footlight' in outcome[2])


def same(want, got):
    return len(want) == len(got) and all(
        abs(w - g) <= 1e-4 * max(1., abs(w)) or w != w and g != g for w, g in zip(want, got))


def run(drawn):
    import footlight as tf
    seed, number = json.loads(drawn)
    import programs
    program = programs.Program(random.Random(f'{seed}:{number}'))
    text, how = program.styled()
    try:
        module = load(number, text, how)
    except (SyntaxError, ValueError) as error:
        return [] if program.odd else [('no program', f'{how}: {error}')]
    unknown = number % 6 == 0  # the rank of x, while tracing
    refusable = program.odd or unknown or how not in ('file', 'linecache')  # code runs unconverted without its source
    found = []
    try:
        code = tf.autograph.to_code(module.f)
        compile(code, 'converted', 'exec')
    except (SyntaxError, tf.errors.InternalError, SystemError) as error:
        if b'ag__' not in text:  # the readable form uses this name, as TensorFlow's does
            found.append(('no code', f'{how}: {type(error).__name__}: {error}'))
    except Exception:
        pass
    signature = [tf.TensorSpec(None if unknown else [], tf.float32)] if number % 3 == 0 else None
    outcomes = []
    for value in (.3, -1.2, 2.):
        eager = call(tf, module.f, [tf.constant(value)])
        try:
            function = tf.function(module.f, input_signature=signature)
        except Exception as error:
            return found if refusable else found + [('differs', f'{how}: tf.function raises {error}')]
        traced = call(tf, function, [tf.constant(value)])
        outcomes.append((eager, traced))
        for mode, outcome in (('eagerly', eager), ('traced', traced)):
            if is_bug(outcome):
                found.append(('bug', f'{how}, {mode}: {outcome[1]}: {outcome[2][:600]}'))
        if eager[0] == traced[0] == 'value':
            if not same(eager[1], traced[1]):
                found.append(('differs', f'{how}: f({value}) is {traced[1]} traced instead of {eager[1]}'))
        elif not refusable and eager[0] != traced[0]:
            found.append(('differs', f'{how}: f({value}) traced: {traced}, eagerly: {eager}'[:900]))
        elif program.raises and eager[0] == traced[0] == 'error' and (
                eager[1] in traced[3] or traced[1] == 'AssertionError'):  # of Python's values: it fails in any trace
            pass
        elif not refusable and 'error' in (eager[0], traced[0]):
            found.append(('no program', f'{how}: f({value}): {eager}'[:600]))
        if not tf.executing_eagerly():
            found.append(('left behind', 'a trace goes on'))
        if found:
            break
    sys.modules.pop(module.__name__, None)
    shutil.rmtree(path, True) if os.path.isdir(
        path := f'program_{number}.py') else os.path.exists(path) and os.remove(path)
    return found


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument('--calls', type=int, default=5000)
    words.add_argument('--first', type=int, default=0)
    words.add_argument('--seed', type=int, default=0)
    words.add_argument('--case', type=int)
    words.add_argument('--show', action='store_true', help='the text of the program, without running it')
    words.add_argument('--child', type=int, nargs=3, help=argparse.SUPPRESS)
    options = words.parse_args()
    warnings.simplefilter('ignore')
    if options.show:
        import programs
        text, how = programs.Program(random.Random(f'{options.seed}:{options.case}')).styled()
        sys.stdout.buffer.write(text + f'\n# {how}\n'.encode())
        return 0
    if options.child:
        descriptor, first, count = options.child
        supervise.child(descriptor, lambda number: json.dumps([options.seed, number]), run,
                        range(first, first + count))
        return 0
    more = ['--seed', str(options.seed)]
    first, count = (options.case, 1) if options.case is not None else (options.first, options.calls)
    return supervise.supervise(__file__, more, first, count, 'programs')


if __name__ == '__main__':
    sys.exit(main())
