"""JAX's adapter against a fake of what it hooks: what is recorded, and that the program sees nothing of it."""
import json
import os
import subprocess
import sys
import textwrap

import footlight_program
from footlight_program import BUILD
from with_fakes import WithFakes


class Jax(WithFakes):
    installed = ('jax',)

    def test_functions_traces_and_calls(self):
        self.run_script('''
            import jax

            @jax.jit
            def scale(weights, rate):
                return 'scaled'

            for step in range(4):
                result = scale(jax.Array((4,)), 0.5 if step < 2 else jax.Array(()))
            print(result, scale.__name__)
            ''', 'scaled scale\n')
        self.assertEqual(self.rows('SELECT name, line, decorator_line, kind FROM function'), [('scale', 5, 4, 'jit')])
        self.assertEqual(self.rows('SELECT number, signature, why FROM trace ORDER BY number'),
                         [(1, 'f32[4] weak f32[]', ''), (2, 'f32[4] f32[]', 'weak type of rate')])
        phases = self.rows('SELECT name FROM trace_phase ORDER BY trace, end_ns')
        self.assertEqual([name for name, in phases], ['trace', 'lower', 'compile'] * 2)
        nodes = self.rows('SELECT op, l.line FROM node LEFT JOIN location l ON location = l.id ORDER BY graph, node.id')
        self.assertEqual(nodes[:3], [('input', None), ('input', None), ('mul', 5)])
        self.assertEqual(self.rows('SELECT kind, name FROM trace_artifact')[:3],
                         [('jaxpr', 'jaxpr'), ('stablehlo', 'StableHLO'), ('hlo', 'HLO')])

        said = self.report()
        self.assertEqual(said['run']['engines'][-1],
                         {'name': 'jax', 'version': '0.10.0', 'adapter': '1', 'missing_hooks': []})
        function, = said['functions']
        self.assertEqual({key: function[key] for key in ('function', 'engine', 'kind', 'calls', 'traces', 'hits', 'compiles')},
                         {'function': 'scale', 'engine': 'jax', 'kind': 'jit', 'calls': 4, 'traces': 2, 'hits': 2,
                          'compiles': 2})
        finding, = said['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line'], finding['engine']),
                         ('weak_type_flip', 'args[1]', 9, 'jax'))
        self.assertTrue(finding['checked']['ok'])
        self.assertNotIn('tf.', json.dumps(said))

    def test_recompilations_name_the_placement(self):
        self.run_script('''
            import jax

            @jax.jit
            def step(weights):
                return weights

            for device in [None] * 3 + ['cpu:0'] * 3:
                step({'a': jax.Array((4,), device=device)})
            ''')
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line']),
                         ('recompile_without_retrace', "args[0]['a'].sharding", 9))
        self.assertEqual(finding['evidence']['values'], ['not committed to a device', 'committed to cpu:0'])

    def test_executables_that_stay_in_use(self):
        script = '''
            import jax

            @jax.jit
            def step(weights):
                return weights

            for device in DEVICES:
                step({'a': jax.Array((4,), device=device)})
            '''
        alternating = ['cpu:0', 'cpu:1']
        for devices, fates, causes in (
                ([None, 'cpu:0'] * 5, ['used again', 'steady'], []),
                ([None, 'cpu:0'] * 3, ['used again'], ['recompile_without_retrace']),  # two calls of each
                ([None] * 9 + ['cpu:0'] * 9, [], ['recompile_without_retrace']),
                (alternating * 2, ['used again'], []),
                (alternating[:1] * 9 + alternating[1:] * 9, [], ['recompile_without_retrace']),
                ([None, 'cpu:0'] * 5 + ['cpu:1'], ['used again', 'steady'], ['recompile_without_retrace'])):
            done = self.record(script.replace('DEVICES', repr(devices)))
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertEqual(self.rows("SELECT fate, line FROM decision WHERE kind = 'executables'"),
                             [(fate, 5) for fate in fates], devices)
            self.assertEqual([f['cause'] for f in self.report()['findings']], causes, devices)

    def test_another_mesh_is_another_trace(self):
        script = '''
            import jax

            @jax.jit
            def step(weights, x):
                return weights

            x = jax.Array((2,))
            for at in range(6):
                step({'a': jax.Array((4,), mesh=(('data', 2),) if at > 2 else ())}, x)
            for _ in range(MORE):
                step({'a': jax.Array((4,), mesh=(('data', 2),))}, x)
            '''
        done = self.record(script.replace('MORE', '0'))
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(self.rows('SELECT number, why FROM trace ORDER BY number'), [(1, ''), (2, 'placement of weights')])
        self.assertEqual(self.rows("SELECT trace, path, value FROM key_leaf WHERE kind = 'placement'"),
                         [(1, "args[0]['a'].sharding", 'mesh (data: 2)')])
        counts = self.said('sql', self.session, 'SELECT trace, count(*) AS n FROM calls GROUP BY 1 ORDER BY 1')
        self.assertEqual([(one['trace'], one['n']) for one in counts], [(1, 3), (2, 3)])
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line'], finding['evidence']['values']),
                         ('layout_change', "args[0]['a'].sharding", 10, ['no mesh', 'mesh (data: 2)']))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (2, 1))
        self.record(script.replace('at > 2', 'False').replace('MORE', '5'))  # each in use, from a line of its own
        self.assertEqual(self.report()['findings'], [])

    def test_static_arguments(self):
        self.run_script('''
            import jax

            @jax.jit(static_argnames=('rate',))
            def scale(weights, rate):
                return weights

            for step in range(6):
                scale(jax.Array((4,)), rate=0.1 * step)
            ''')
        self.assertEqual(self.rows('SELECT options FROM function'), [("static_argnames=('rate',)",)])
        leaves = self.rows("SELECT path, kind, type FROM key_leaf WHERE parameter = 'rate'")
        self.assertEqual(leaves, [('args[1]', 'literal', 'float')] * 6)
        self.assertEqual(self.rows('SELECT DISTINCT why FROM trace WHERE number > 1'), [('value of rate',)])
        self.assertEqual([f['traces'] for f in self.report()['functions']], [6])

    def test_a_function_that_is_jitted_again_is_one(self):
        self.run_script('''
            import jax

            def scale(x, n=1):
                return 'result'

            for again in range(3):
                scaled = jax.jit(scale)
                scaled(jax.Array((4,)))
            by_number = jax.jit(scale, static_argnums=(1,))
            by_number(jax.Array((4,)), 2)
            scaled(jax.Array((4,)))
            print(scaled.__wrapped__ is scale)
            ''', 'True\n')
        self.assertEqual(self.rows('SELECT name, options FROM function ORDER BY id'),
                         [('scale', ''), ('scale', 'static_argnums=(1,)')])
        self.assertEqual([(f['calls'], f['traces'], f['hits']) for f in self.report()['functions']], [(5, 2, 3)])
        self.assertEqual(self.rows('SELECT function, number FROM trace'), [(0, 1), (1, 1)])

    def test_nothing_of_the_program_lives_longer(self):
        self.run_script('''
            import gc
            import weakref
            import jax

            class Mode:
                pass

            def run():
                f = jax.jit(lambda x, mode: 'result', static_argnums=(1,))
                x, mode = jax.Array((4,)), Mode()
                f(x, mode)
                return weakref.ref(x), weakref.ref(mode), weakref.ref(f.__wrapped__)

            kept = run()
            gc.collect()
            print([it() for it in kept])
            ''', '[None, None, None]\n')

    def test_recordings_within_a_program(self):
        packages = os.pathsep.join([os.path.join(BUILD, 'python'), self.fakes])
        text = textwrap.dedent(f'''
            import footlight_recorder
            import jax
            early = jax.jit(lambda x: 'early')
            early(jax.Array((4,)))
            footlight_recorder.start({self.session!r} + '1')
            f = jax.jit(lambda x: 'result')
            for size in (4, 4, 5):
                f(jax.Array((size,)))
            footlight_recorder.stop()
            f(jax.Array((4,)))
            footlight_recorder.start({self.session!r} + '2', engine='jax')
            for size in (4, 6):
                f(jax.Array((size,)))
            footlight_recorder.stop()
            try:
                footlight_recorder.start({self.session!r} + '3', engine='caffe')
            except ValueError as error:
                print(error)
            ''')
        path = self.write('within.py', text)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120,
                              env={**os.environ, 'PYTHONPATH': packages})
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertTrue(done.stdout.startswith("engine must be 'auto', 'footlight' or names of "), done.stdout)
        first = self.session
        for number, calls, traces in ('1', [(0, 'trace'), (0, 'hit'), (1, 'trace')], 2), ('2', [(0, 'hit'), (2, 'trace')], 3):
            self.session = first + number
            said = self.report()
            self.assertEqual([(f['calls'], f['traces']) for f in said['functions']], [(len(calls), traces)])
            missing, = said['run']['engines'][-1]['missing_hooks']
            self.assertIn('jax had made 1 function before', missing)
            self.assertEqual(self.rows('SELECT count(*) FROM trace JOIN trace_graph ON trace = trace.id '
                                       "JOIN graph ON graph.id = graph WHERE stage = 'jaxpr'"), [(traces,)])

    def test_lines_that_made_an_argument(self):
        self.run_script('''
            import jax

            @jax.jit
            def scale(x, rate):
                return 'scaled'

            def rate_at(step):
                if step < 1:
                    return 0.5
                return jax.Array(())

            def forward(rate):
                scale(jax.Array((4,)), rate=rate)

            def main():
                for size in (2, 3):
                    x = jax.Array((size,))
                    if size == 3:
                        x = x
                    scale(x, 0.5)
                for step in range(2):
                    scale(jax.Array((4,)), rate_at(step))
                for rate in (1.0, jax.Array((1,))):
                    forward(rate)
                wide = jax.Array((5,))
                for _ in range(2):
                    scale(x=wide, rate=1.0)
                    wide = jax.Array((6,))

            main()
            ''')
        found = {}
        for line, path, made in self.rows("SELECT o.line, path, group_concat(l.line) FROM observation o JOIN observation_line l "
                                          "ON l.observation = o.id WHERE o.kind = 0 GROUP BY o.id ORDER BY o.id"):
            found.setdefault((line, path), []).append(made)
        self.assertEqual(found, {(21, 'args[0]'): ['20,18'], (23, 'args[1]'): ['10,11'], (14, 'args[1]'): ['24,25'],
                                 (28, 'args[0]'): ['29,26']})

    def test_state_around_a_trace(self):
        done = self.record('''
            import random
            import time
            import jax

            RATE, LOG, SEEN, LIMIT = 0.5, [], [], 7

            class Model:
                def __init__(self):
                    self.scale = 2.0
                    self.calls = 0

                @jax.jit(static_argnums=(0,))
                def forward(self, x):
                    self.calls += 1
                    return helper(self.scale)

            def helper(scale):
                LOG.append(scale)
                SEEN.append(LIMIT)
                at = time.time()
                return RATE * scale * random.random(), at

            def main():
                global RATE
                model, x = Model(), jax.Array((4,))
                for step in range(6):
                    model.forward(x)
                    if step == 2:
                        RATE = 0.25
                    if step == 4:
                        RATE = 0.5
                model.scale = 3.0
                model.forward(x)
                print(model.calls > 0, len(LOG) > 0)

            main()
            ''')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 'True True\n', ''), done.stderr)
        seen = self.rows("SELECT kind, path, o.line, note, (SELECT group_concat(value) FROM observation_value v "
                         "WHERE v.observation = o.id) FROM observation o ORDER BY o.id")
        values = {(kind, path): values for kind, path, _, _, values in seen}
        self.assertEqual({(kind, path, line, note) for kind, path, line, note, _ in seen}, {
            (2, 'self.calls', 15, ''), (2, 'global LOG', 19, 'mutation'), (3, 'random', 22, ''), (3, 'time.time', 21, 'clock'),
            (1, 'global RATE', 22, ''), (1, 'global RATE', 22, 'came back'), (1, 'self.scale', 16, '')})
        self.assertEqual((values[2, 'self.calls'], values[2, 'global LOG'], values[1, 'self.scale']), ('0,1', '[],[2.0]', '2.0,3.0'))
        self.assertIn('stale_capture', [f['cause'] for f in self.report()['findings']])

    def test_optimised_modules_are_graphs(self):
        self.run_script('''
            import jax
            f = jax.jit(lambda x: 'result')
            f(jax.Array((4,)))
            ''')
        self.assertEqual(self.rows('SELECT stage FROM trace_graph'), [('jaxpr',), ('hlo',)])
        graph, = self.rows("SELECT graph FROM trace_graph WHERE stage = 'hlo'")
        nodes = self.rows(f'SELECT node.name, op, family, constant FROM node WHERE graph = {graph[0]} ORDER BY id')
        self.assertEqual(nodes, [('x.1', 'parameter', 'variable', ''), ('fusion', 'fusion', 'control', ''),
                                 ('part', 'get-tuple-element', 'move', '')])
        inner = self.rows("SELECT op, constant, l.line, c.line, c.qualname FROM node LEFT JOIN location l ON l.id = location "
                          "LEFT JOIN location c ON c.id = l.caller WHERE graph = (SELECT id FROM graph WHERE name LIKE "
                          "'hlo %/fused_computation') ORDER BY node.id")
        self.assertEqual(inner, [('parameter', '', None, None, None), ('constant', '2', None, None, None),
                                 ('broadcast', '', None, None, None), ('multiply', '', 5, 9, '<module>'),
                                 ('tuple', '', None, None, None)])
        self.assertEqual(self.rows(f"SELECT source, output FROM node_input WHERE graph = {graph[0]} AND node = 2"), [(1, 1)])
        self.assertEqual(self.rows("SELECT text FROM console WHERE text LIKE 'Not all%'"), [])

    def test_texts_that_are_too_large_say_so(self):
        self.replace('jax/_src/pjit.py', 'core.Jaxpr(inputs, [equation], [output])',
                     'core.Jaxpr(inputs, [equation] * 501, [output])')
        self.run_script('''
            import jax
            print(jax.jit(lambda x: x)(jax.Array((4,))).shape)
            ''', '(4,)\n')
        self.assertEqual(self.rows('SELECT name, kind FROM trace_artifact'),
                         [('jaxpr', 'absent'), ('StableHLO', 'absent'), ('HLO', 'absent')])

    def test_bodies_of_loops_outside_of_jit(self):
        self.run_script('''
            import jax
            from jax import lax

            def rollout(start, values):
                def body(carry, value):
                    return carry, value
                return lax.scan(body, start, values)

            def again(carry, value):
                return carry, value

            for step in range(5):
                rollout(jax.Array((4,)), jax.Array((8,)))
                lax.scan(again, jax.Array((3,)), jax.Array((8,)))
            print('done')
            ''', 'done\n')
        functions = {one['function']: (one['calls'], one['traces'], one['hits']) for one in self.report()['functions']}
        self.assertEqual(functions, {'body': (5, 5, 0), 'again': (5, 1, 4)})
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['function'], finding['line'], finding['engine']),
                         ('function_made_in_loop', 'body', 8, 'jax'))
        self.assertIn('lax.scan', finding['title'])

    def test_ops_outside_of_functions(self):
        self.run_script('''
            import jax
            from jax import numpy

            def total(x, y):
                y = numpy.negative(x)
                return numpy.sum(numpy.add(x, y))

            @jax.jit
            def inside(x):
                return numpy.add(x, x)

            for size in (4, 4, 5):
                total(jax.Array((size,)), jax.Array((size,)))
            inside(jax.Array((4,)))
            numpy.add(jax.Array((4,)), jax._src.core.Tracer())
            print(numpy.add.__name__, repr(numpy.add)[:10])
            ''', 'add <PjitFunct\n')
        self.assertEqual(self.rows("SELECT text FROM console WHERE text LIKE 'Not all%'"), [])
        ops = self.rows('SELECT name, family, inputs, outputs FROM op_signature JOIN op ON op = op.id ORDER BY 1, 3')
        self.assertEqual(ops, [('add', 'elementwise', 'float32[4], float32[4]', 'float32[4]'),
                               ('add', 'elementwise', 'float32[5], float32[5]', 'float32[5]'),
                               ('neg', 'elementwise', 'float32[4]', 'float32[4]'),
                               ('neg', 'elementwise', 'float32[5]', 'float32[5]'),
                               ('reduce_sum', 'reduction', 'float32[4]', 'float32[]'),
                               ('reduce_sum', 'reduction', 'float32[5]', 'float32[]')])
        # What an op runs for itself, and what runs in a traced function, is no op of its own.
        counts = [(one['op'], one['source'], one['n']) for one in self.said(
            'sql', self.session, 'SELECT op, source, count(*) AS n FROM ops GROUP BY 1, 2 ORDER BY 1')]
        self.assertEqual(counts, [('add', 'script.py:7', 3), ('neg', 'script.py:6', 3), ('reduce_sum', 'script.py:7', 3)])
        self.record('import jax\njax.numpy.sum(jax.Array((4,)))', '--level', 'structure')
        self.assertEqual(self.rows('SELECT count(*) FROM op_signature'), [(0,)])

    def test_a_function_that_runs_many_ops(self):
        self.run_script('''
            import jax
            from jax import numpy

            def relax(x):
                y = numpy.add(x, x)
                return numpy.add(numpy.add(y, x), numpy.negative(y))

            x = jax.Array((4,))
            for _ in range(600):
                relax(x)
            ''')
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['line'], finding['path']), ('eager_hot_loop', 5, 'relax'))
        self.assertEqual(finding['fix']['edit']['new'], '@jax.jit\ndef relax(')

    def test_a_loop_of_gradients(self):
        text = '''
            import jax
            from jax import numpy

            def loss(x):
                return numpy.add(numpy.add(x, x), x)

            %s
            def train(x):
                for _ in range(450):
                    g = %s(x)
                return g

            train(jax.Array((4,)))
            '''
        for made, called in (('', 'jax.grad(loss)'), ('slope = jax.grad(loss)', 'slope')):
            with self.subTest(called):
                done = self.record(text % (made, called))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.report()['functions'], [])
                finding, = self.report()['findings']
                self.assertEqual((finding['cause'], finding['line'], finding['path']), ('eager_hot_loop', 5, 'loss'))
                # Two ops of the function and three of its gradient.
                self.assertEqual(finding['title'], 'jax.grad(loss) runs eagerly: 2,250 separate ops')
                self.assertIn('make jax.jit(jax.grad(loss)) once, before the loop', finding['fix']['text'])
                self.assertEqual(finding['fix']['edit']['new'], '@jax.jit\ndef loss(')
        self.record((text % ('', 'jax.grad(loss)')).replace('450', '40'))
        said = footlight_program.run('report', self.path(self.session)).stdout
        self.assertIn('no function was traced, and 200 ops ran one by one', said)
        self.assertIn('Under JAX only jit makes traces and calls to record', said)

    def test_a_function_made_in_a_loop_whose_sizes_vary_too(self):
        text = '''
            import jax

            def decode(prefix):
                @jax.jit
                def logits(tokens):
                    return tokens
                return logits(prefix)

            for size in %s:
                decode(jax.Array((size,)))
            '''
        self.record(text % 'range(1, 13)')
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['function']), ('function_made_in_loop', 'decode.<locals>.logits'))
        self.assertIn('Make it once, outside of decode, and pass what it captures; pad tokens to powers of two',
                      finding['fix']['text'])
        checked = finding['checked']
        self.assertEqual((checked['ok'], checked['traces_before'], checked['traces_after']), (True, 12, 5))
        # Sizes that are powers of two already: neither fix, nor both, would spare a trace.
        self.record(text % '(1, 2, 4, 8, 16)')
        self.assertEqual(self.report()['findings'], [])

    def test_settings_under_which_calls_are_made(self):
        def script(calls):
            return f'''
                import jax
                from jax._src import config

                @jax.jit
                def step(x):
                    return x

                x = jax.Array((4,))
                with config.changed(rank_promotion='raise'):
                    step(x)
                for _ in range(10):
                    step(x)
                for _ in range({calls}):
                    with config.changed(rank_promotion='raise'):
                        step(x)
                with config.changed(mesh=object()):
                    step(jax.Array((5,)))
                '''
        done = self.record(script(0))
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(self.rows("SELECT number, value, why FROM trace JOIN key_leaf ON trace = trace.id "
                                   "WHERE path = 'context' ORDER BY number"),
                         [(1, 'rank_promotion=raise', ''), (2, '', 'context.settings'), (3, '', 'context.settings, shape of x')])
        finding, = self.report()['findings']
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('context_change', 'context.rank_promotion', 10))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (3, 2))
        self.record(script(4))  # each of the two is in use, from lines of their own
        self.assertEqual(self.report()['findings'], [])

    def test_a_missing_hook_is_said(self):
        self.replace('jax/_src/pjit.py', '_resolve_and_lower', '_lower')
        self.run_script('''
            import jax
            f = jax.jit(lambda x: 'result')
            print(f(jax.Array((4,))), f(jax.Array((4,))))
            ''', 'result result\n')
        self.assertEqual(self.report()['run']['engines'][-1]['missing_hooks'],
                         ['StableHLO, lowering and compilation not recorded: jax 0.10.0 has no jax._src.pjit._resolve_and_lower'])
        self.assertEqual(self.rows('SELECT count(*) FROM trace'), [(1,)])

    def test_versions_without_the_hook_of_traces(self):
        self.replace('jax/_src/pjit.py', '_trace_for_jit', '_create_jaxpr')
        self.run_script('''
            import jax
            f = jax.jit(lambda x: 'result')
            for size in (4, 4, 5):
                print(f(jax.Array((size,))))
            ''', 'result\n' * 3)
        self.assertEqual(self.rows('SELECT number, signature, error FROM trace ORDER BY number'),
                         [(1, 'f32[4]', ''), (2, 'f32[5]', '')])
        self.assertEqual(self.report()['run']['engines'][-1]['missing_hooks'], [])

    def test_errors_of_the_adapter_are_notes(self):
        self.replace('jax/_src/core.py', 'def shaped_abstractify(value):',
                     'def shaped_abstractify(value):\n    raise KeyError(7)')
        done = self.record('''
            import jax
            f = jax.jit(lambda x: 'result')
            for _ in range(3):
                print(f(jax.Array((4,))))
            ''')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 'result\n' * 3, ''))
        notes = self.rows("SELECT text FROM console WHERE text LIKE 'Not all was recorded%'")
        self.assertTrue(notes)
        self.assertEqual(len(notes), len(set(notes)))

    def test_errors_of_the_program_stay(self):
        self.run_script('''
            import jax

            @jax.jit
            def fails(x):
                raise ValueError('of the program')

            try:
                fails(jax.Array((4,)))
            except ValueError as error:
                print(error)
            ''', 'of the program\n')
        self.assertEqual(self.rows('SELECT error FROM trace'), [('ValueError: of the program',)])

    def test_engines_by_name(self):
        script = '''
            import importlib.util
            import sys
            found = importlib.util.find_spec('jax')
            import jax
            print(type(jax.jit(lambda x: x)).__name__, jax.__spec__.loader is not None, 'footlight' in sys.modules)
            '''
        done = self.record(script, '--engine', 'footlight')
        self.assertEqual((done.returncode, done.stdout), (0, 'PjitFunction True False\n'), done.stderr)
        for options in [], ['--engine', 'jax'], ['--engine=auto']:
            done = self.record(script, *options)
            self.assertEqual((done.returncode, done.stdout), (0, 'RecordedCallable True False\n'), done.stderr)
        done = self.record(script, '--engine', 'mxnet')
        self.assertEqual(done.returncode, 2)
        self.assertIn("--engine must be auto, footlight, jax, tensorflow, torch, not 'mxnet'", done.stderr)
