"""Rows, keys and calls that an adapter of another engine adds from Python."""
import os
import subprocess
import sys
import textwrap

import footlight_program
from folder_case import FolderCase
from footlight_program import BUILD


class Records(FolderCase):
    def record(self, text):
        path = self.write('script.py', 'from footlight_recorder import _recorder, keys\n' + textwrap.dedent(text))
        environment = {**os.environ, 'PYTHONPATH': os.path.join(BUILD, 'python')}
        done = subprocess.run([sys.executable, '-m', 'footlight_recorder', '-o', self.session, path], capture_output=True,
                              text=True, env=environment, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def rows(self, query):
        return footlight_program.rows(self.session, query)

    def sql(self, query):
        return footlight_program.run('sql', self.session, query).stdout

    def test_rows_come_back(self):
        said = self.record('''
            function = _recorder.new_id('function')
            print(_recorder.add('function', {'id': function, 'name': 'step', 'file': __file__, 'line': 3, 'kind': 'jit',
                                             'function_parameter': ['x', 'lr']}))
            graph = _recorder.new_id('graph')
            _recorder.add('graph', {'id': graph, 'name': 'g', 'graph_input': [0], 'graph_output': [{'source': 1, 'output': 0}],
                                    'node': [{'id': 0, 'op': 'input', 'node_output': ['float32 (4)']},
                                             {'id': 1, 'op': 'neg', 'node_input': [{'source': 0, 'output': 0}]}]})
            trace = {'id': _recorder.new_id('trace'), 'function': function, 'number': 1, 'start_ns': 10, 'end_ns': 30,
                     'trace_graph': [{'stage': 'jaxpr', 'graph': graph}],
                     'trace_artifact': [{'name': 'text', 'kind': 'stablehlo', 'data': 'module'}]}
            _recorder.add('trace', trace)
            # What is added again under its number replaces the row.
            _recorder.add('trace', {**trace, 'why': 'value of lr', 'source': (compile('pass', 'a.py', 'exec'), 0),
                                    'trace_phase': [{'name': 'compile', 'category': 'compile', 'start_ns': 20, 'end_ns': 30}]})
            ''')
        self.assertEqual(said, 'True\n')
        self.assertEqual(self.rows('SELECT name, line, kind FROM function'), [('step', 3, 'jit')])
        self.assertEqual(self.rows('SELECT name FROM function_parameter'), [('x',), ('lr',)])
        self.assertEqual(self.rows('SELECT number, why FROM trace'), [(1, 'value of lr')])
        self.assertEqual(self.rows('SELECT name, kind FROM trace_artifact'), [('text', 'stablehlo')])
        self.assertEqual(self.rows('SELECT op FROM node ORDER BY id'), [('input',), ('neg',)])
        self.assertIn('value of lr', self.sql('SELECT function, why FROM traces'))

    def test_wrong_columns_are_refused_by_name(self):
        said = self.record('''
            def refused(table, columns):
                try:
                    print(_recorder.add(table, columns))
                except TypeError as error:
                    print(error)

            refused('traces', {})
            refused('trace', {'id': 0, 'colour': 'red'})
            refused('trace', {'id': 0, 'reason': 'a whim'})
            refused('trace', {'id': 0, 'number': 1 << 40})
            refused('trace', {'id': 0, 'source': 'here'})
            refused('trace', {'id': 0, 'trace_phase': [{'length': 3}]})
            try:
                _recorder.new_id('node')
            except TypeError as error:
                print(error)
            ''').splitlines()
        self.assertEqual(said[0], "a recording has no table 'traces'")
        self.assertIn("'colour'", said[1])
        self.assertEqual(said[2], "no value of this column is called 'a whim'")
        self.assertEqual(said[3], "a number is out of its column's range")
        self.assertEqual(said[4], 'a source is (code object, offset)')
        self.assertIn("'length'", said[5])
        self.assertEqual(said[6], "rows of 'node' are not numbered by their process")
        self.assertEqual(self.rows('SELECT count(*) FROM trace'), [(0,)])

    def test_keys(self):
        said = self.record('''
            function = _recorder.new_id('function')
            _recorder.add('function', {'id': function, 'name': 'f', 'function_parameter': ['x', 'rate']})

            def key(*arguments):
                return _recorder.key(function, ['x', 'rate'], list(arguments))

            x = keys.tensor('float32', (4, 8))
            first = key({'w': x}, 0.5)
            print(first == key({'w': keys.tensor('float32', (4, 8))}, 0.5), first == key({'w': x}, 0.25))
            print(_recorder.describe_key(first)[0])
            for other in (key({'w': x}, 0.25), key({'w': keys.tensor('float32', (4, 9))}, 0.5), key({'v': x}, 0.5),
                          key({'w': keys.tensor('float32', (4, 8), weak=True)}, 0.5), key({'w': x}, None),
                          key({'w': x}, keys.Leaf('object', number=7, name='<Options object>')),
                          key({'w': keys.tensor('bfloat16', (4, 8))}, 0.5), key({'w': x})):
                print(_recorder.nearest_key(other, [first])[1:])
            print(_recorder.nearest_key(first, []))
            for wrong in (keys.Leaf('cell'), object()):
                try:
                    key(wrong)
                except (ValueError, AttributeError) as error:
                    print(type(error).__name__)
            ''').splitlines()
        self.assertEqual(said[:2], ['True False', '{w: f32[4,8]} 0.5'])
        self.assertEqual(said[2:10], ["(['args[1]'], 'value of rate')", "([\"args[0]['w'].shape[1]\"], 'shape of x')",
                                      "(['args[0].keys()'], 'structure of x')",
                                      "([\"args[0]['w'].weak_type\"], 'weak type of x')", "(['args[1]'], 'kind of rate')",
                                      "(['args[1]'], 'kind of rate')", "([\"args[0]['w'].dtype\"], 'dtype of x')",
                                      "(['len(args)'], 'structure of len(args)')"])
        self.assertEqual(said[10:], ['None', 'ValueError', 'AttributeError'])
        self.assertEqual(self.rows('SELECT count(*) FROM call_key'), [(9,)])

    def test_calls_know_the_traces_of_their_signatures(self):
        said = self.record('''
            class Array:
                def __init__(self, *shape, weak_type=False):
                    self.shape, self.dtype, self.weak_type = shape, 'float32', weak_type

            function = _recorder.new_id('function')
            _recorder.add('function', {'id': function, 'name': 'f', 'function_parameter': ['x', 'n']})
            traces = {}

            def f(x, n=1):
                """What is called."""
                known = (getattr(x, 'shape', type(x)), getattr(x, 'weak_type', 0), n)
                if known not in traces:
                    traces[known] = number = _recorder.new_id('trace')
                    _recorder.add('trace', {'id': number, 'function': function, 'number': len(traces)})
                    key = _recorder.key(function, ['x', 'n'], [str(known)])
                    _recorder.describe_call(trace=number, outcome='trace', key=key)
                assert _recorder.current_call()[1] == function
                if n == 3:
                    _recorder.describe_call(outcome='none')
                if n == 4:
                    raise KeyError(n)
                return n

            g = _recorder.called(f, function, (1,), ('n',))
            for x in (Array(4), Array(5), Array(4), Array(4, weak_type=True), Array(5)):
                g(x)
            g(Array(4), 2), g(Array(4), n=2), g(Array(4), 2), g(Array(4), 3)
            try:
                g(Array(4), 4)
            except KeyError:
                pass
            print(g.__name__, g.__doc__, g(1.5), _recorder.current_call())
            print(repr(g).startswith('<recorded <function f at '), type(g).__name__)
            ''')
        self.assertEqual(said, 'f What is called. 1 None\nTrue RecordedCallable\n')
        calls = self.sql("SELECT outcome, count(*), count(DISTINCT trace_id) FROM calls GROUP BY outcome").split('\n')[2:]
        self.assertEqual([line.split() for line in calls if line], [['failed', '1', '1'], ['hit', '4', '3'], ['trace', '5', '5']])

    def test_calls_that_fail_or_wrap_are_not_taken_for_hits_of_the_only_trace(self):
        said = self.record('''
            import functools
            function = _recorder.new_id('function')
            _recorder.add('function', {'id': function, 'name': 'f', 'function_parameter': ['x']})

            def inner(x):
                return x

            @functools.wraps(inner)
            def f(x):
                if x is None:
                    raise TypeError('refused')
                if not f.traced:
                    f.traced = True
                    number = _recorder.new_id('trace')
                    _recorder.add('trace', {'id': number, 'function': function, 'number': 1})
                    _recorder.describe_call(trace=number, outcome='trace')
                return inner(x)

            f.traced = False
            g = _recorder.called(f, function, (), ('unused',))
            for x in (1.0, 2.0, None, 3):
                try:
                    g(x)
                except TypeError as error:
                    print(error)
            print(g.__wrapped__ is inner)
            ''')
        self.assertEqual(said, 'refused\nTrue\n')
        calls = self.sql("SELECT outcome, count(*), count(trace_id) FROM calls GROUP BY outcome").split('\n')[2:]
        self.assertEqual([line.split() for line in calls if line],
                         [['failed', '1', '0'], ['hit', '2', '2'], ['trace', '1', '1']])

    def test_hits_under_several_settings(self):
        self.record('''
            class Type:
                dtype = 'float32'
                def __init__(self, *shape):
                    self.shape = shape

            class Array:
                dtype = property(lambda self: 1 / 0)  # its type says all
                def __init__(self, type):
                    self.type = type

            function = _recorder.new_id('function')
            _recorder.add('function', {'id': function, 'name': 'f', 'function_parameter': ['x']})
            traces, setting, asked = {}, 'a', []

            def f(x):
                if (x.type.shape, setting) not in traces:
                    traces[x.type.shape, setting] = number = _recorder.new_id('trace')
                    _recorder.add('trace', {'id': number, 'function': function, 'number': len(traces)})
                    _recorder.describe_call(trace=number, outcome='trace')

            def settings():
                asked.append(setting)
                return setting

            g = _recorder.called(f, function, context=settings, array_type='type')
            four, five = Array(Type(4)), Array(Type(5))
            for x in (four, four, five, four, Array(Type(5))):
                g(x)
            assert asked == ['a', 'a'], asked  # by calls that were described
            for setting in 'bab':
                g(four)
            ''')
        calls = self.sql("SELECT trace_id, outcome, count(*) FROM calls GROUP BY 1, 2 ORDER BY 1, 2").split('\n')[2:]
        self.assertEqual([line.split()[1:] for line in calls if line],
                         [['hit', '3'], ['trace', '1'], ['hit', '1'], ['trace', '1'], ['hit', '1'], ['trace', '1']])

    def test_cycles_through_a_traced_function_are_freed(self):
        said = self.record('''
            import gc
            import weakref

            class Flattens:
                def __call__(self, value):
                    return [], value

            function = _recorder.new_id('function')
            flatten = Flattens()
            flatten.used_by = _recorder.called(len, function, flatten=flatten)
            gone = weakref.ref(flatten)
            del flatten
            _recorder.forget(function)
            gc.collect()
            print(gone())
            ''')
        self.assertEqual(said, 'None\n')

    def test_a_cycle_takes_no_rules_from_other_stand_ins(self):
        said = self.record('''
            import gc
            import weakref

            class Flattens:
                def __call__(self, value):
                    return [], value

            function = _recorder.new_id('function')
            flatten = Flattens()
            kept, other = (_recorder.called(len, function, flatten=flatten) for _ in range(2))
            other.itself = other
            rule, gone = weakref.ref(flatten), weakref.ref(other)
            del flatten, other
            gc.collect()
            print(gone(), rule() is not None)
            ''')
        self.assertEqual(said, 'None True\n')

    def test_static_positions_may_count_from_the_end(self):
        self.record('''
            function = _recorder.new_id('function')
            _recorder.add('function', {'id': function, 'name': 'f', 'function_parameter': ['x', 'n']})
            traces = {}

            def f(x, n):
                if n not in traces:
                    traces[n] = number = _recorder.new_id('trace')
                    _recorder.add('trace', {'id': number, 'function': function, 'number': len(traces)})
                    _recorder.describe_call(trace=number, outcome='trace')

            g = _recorder.called(f, function, (-1,))
            for n in (2, 3, 2, 3):
                g(1.0, n)
            ''')
        calls = self.sql("SELECT outcome, count(*), count(DISTINCT trace_id) FROM calls GROUP BY outcome").split('\n')[2:]
        self.assertEqual([line.split() for line in calls if line], [['hit', '2', '2'], ['trace', '2', '2']])
