"""PyTorch's adapter against a fake of what it hooks: what is recorded, and that the program sees nothing of it."""
import json
import textwrap
import types

from footlight_recorder.adapters import torch_guards
from with_fakes import WithFakes


class Torch(WithFakes):
    installed = ('torch',)

    def findings(self):
        return self.report()['findings']

    def test_functions_traces_and_calls(self):
        self.run_script('''
            import torch

            @torch.compile(backend='eager')
            def scale(weights, rate):
                return 'scaled'

            for step in range(4):
                result = scale(torch.Tensor((4,)), 0.5 if step < 2 else 0.25)
            print(result, scale.__name__, type(scale).__name__)
            ''', 'scaled scale function\n')
        self.assertEqual(self.rows('SELECT name, line, decorator_line, kind, options FROM function'),
                         [('scale', 5, 4, 'dynamo', "backend='eager'")])
        self.assertEqual(self.rows('SELECT number, native_id, signature, why FROM trace ORDER BY number'),
                         [(1, '0/0', 'f32[4] 0.5', ''), (2, '0/1', 'f32[4] 0.25', 'value of rate')])
        self.assertEqual(self.rows('SELECT DISTINCT name, category FROM trace_phase'), [('dynamo', 'trace')])
        self.assertEqual(self.rows('SELECT path, was, now, words FROM trace_miss'),
                         [('args[1]', '0.5', '0.25', "the engine's own words")])
        nodes = self.rows('SELECT op, l.line FROM node LEFT JOIN location l ON location = l.id ORDER BY graph, node.id')
        self.assertEqual(nodes[:3], [('input', None), ('literal', None), ('mul', 6)])
        said = self.report()
        self.assertEqual(said['run']['engines'][-1],
                         {'name': 'torch', 'version': '2.15.0', 'adapter': '1', 'missing_hooks': []})
        function, = said['functions']
        self.assertEqual({key: function[key] for key in ('function', 'engine', 'kind', 'calls', 'traces', 'hits', 'resumes')},
                         {'function': 'scale', 'engine': 'torch', 'kind': 'dynamo', 'calls': 4, 'traces': 2, 'hits': 2,
                          'resumes': 0})
        self.assertEqual(said['findings'], [])

    def test_a_number_of_a_module(self):
        self.run_script('''
            import torch

            class Net(torch.nn.Module):
                def __init__(self):
                    self.step = 0

                def forward(self, values):
                    return self.step

            net = Net()
            model = torch.compile(net)
            for number in range(6):
                net.step = number
                print(model(torch.Tensor((4,))), end=' ')
            ''', '0 1 2 3 4 5 ')
        finding, = self.findings()
        self.assertEqual((finding['function'], finding['cause'], finding['path'], finding['line'], finding['engine']),
                         ('Net.forward', 'python_scalar_argument', 'self.step', 14, 'torch'))
        self.assertEqual(finding['saves']['traces'], 5)
        self.assertTrue(finding['checked']['ok'])
        self.assertEqual(finding['engine_said'], "the engine's own words")
        self.assertNotIn('tf.', json.dumps(finding))

    def test_sizes_become_symbols(self):
        script = '''
            import torch

            @torch.compile
            def total(values):
                """DOC"""
                return 'total'

            for size in range(4, 9):
                total(torch.Tensor((size,)))
            print('done')
            '''
        self.run_script(script, 'done\n')
        self.assertEqual(self.rows('SELECT signature FROM trace ORDER BY number'), [('f32[4]',), ('f32[None]',)])
        self.assertEqual(self.findings(), [])
        self.run_script(script.replace('DOC', 'fixes sizes'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('dimension_specialized', 'args[0].shape[0]', 7))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (5, 2))
        self.run_script(script.replace('torch.compile', 'torch.compile(dynamic=False)'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('varying_shape', 'args[0].shape[0]', 4))

    def test_what_is_kept_for_each_size(self):
        self.run_script('''
            import torch

            class Net(torch.nn.Module):
                def __init__(self):
                    self.masks = {}

                def forward(self, values):
                    """fixes sizes"""
                    size = values.shape[0]
                    if size not in self.masks:
                        self.masks[size] = size
                    return self.masks[size]

            model = torch.compile(Net())
            for size in range(4, 10):
                print(model(torch.Tensor((size,))), end=' ')
            ''', '4 5 6 7 8 9 ')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line'], finding['fix']['text'].split(' holds')[0]),
                         ('dimension_specialized', 'args[1].shape[0]', 11, 'Make what self.masks'))
        self.assertEqual((finding['checked']['traces_before'], finding['checked']['traces_after']), (6, 2))

    def test_graph_breaks(self):
        script = '''
            import torch

            @torch.compile
            def act(values):
                """breaks"""
                arm = int(values.shape[0])
                return arm

            for step in range(12):
                act(torch.Tensor((4,)))
            print('done')
            '''
        self.run_script(script, 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('graph_break', 'int(values.shape[0])', 7))
        self.assertEqual((finding['evidence']['calls'], finding['evidence']['graphs_per_call']), (12, 2))
        self.assertFalse(finding['checked'])
        self.assertIn('Unsupported Tensor.item() call', finding['engine_said'])
        self.run_script(script.replace('range(12)', 'range(9)'), 'done\n')
        self.assertEqual(self.findings(), [])
        self.assertIn(('act', 'graph_break', 11),
                      [(s['function'], s['cause'], s['rule']) for s in self.report()['suppressed']])

    def test_the_limit_of_traces(self):
        script = '''
            import torch

            @torch.compile(dynamic=False)
            def score(block):
                return 'score'

            for epoch in range(EPOCHS):
                for size in range(2, 12):
                    score(torch.Tensor((size,)))
            print('done')
            '''
        self.run_script(script.replace('EPOCHS', '5'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']),
                         ('recompile_limit', 'config.recompile_limit', 4))
        self.assertEqual((finding['evidence']['limit'], finding['evidence']['eager_calls']), (8, 10))
        self.assertEqual(finding['saves']['eager_calls'], 10)
        documented = '"""says no number"""\n                return \'score\''  # as PyTorch 2.9
        self.run_script(script.replace('EPOCHS', '5').replace("return 'score'", documented), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['evidence']['limit'], finding['evidence']['eager_calls']),
                         ('recompile_limit', 8, 10))
        self.assertEqual(self.report()['functions'][0]['eager_calls'], 10)

    def test_what_is_compared_of_a_container(self):
        def differs(kind):
            net = types.SimpleNamespace(held={})
            sources = torch_guards.Sources((lambda self: self).__code__, torch_guards.Describer(
                types.SimpleNamespace(Tensor=types.SimpleNamespace)))
            demanded = sources.of_trace({(('L', 'self'), ('attr', 'held')): {kind}}, {}, {'self': net}, {}, {})
            net.held['new'] = 1
            found = sources.of_call(demanded, {'self': net}, {}, {})
            return torch_guards.differing(demanded, found, sources)
        self.assertEqual(differs('TYPE_MATCH'), [])
        self.assertEqual(differs('DICT_LENGTH'), [('self.held.keys()', 'structure of held', '', 'new')])

    def test_layouts_and_gradients(self):
        self.run_script('''
            import torch

            @torch.compile
            def energy(matrix):
                return 'energy'

            for step in range(8):
                energy(torch.Tensor((4, 4), strides=(1, 4) if step % 2 else None))
            print('done')
            ''', 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('layout_change', 'args[0].stride', 9))
        self.run_script('''
            import torch

            @torch.compile
            def energy(matrix):
                return 'energy'

            for step in range(8):
                energy(torch.Tensor((4,), requires_grad=step % 2 == 1))
            print('done')
            ''', 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path']), ('argument_form', 'args[0].requires_grad'))

    def test_modes(self):
        script = '''
            import torch

            @torch.compile
            def forward(values):
                return 'result'

            with torch.no_grad():
                for step in range(WARM):
                    forward(torch.Tensor((4,)))
            for step in range(6):
                forward(torch.Tensor((4,)))
            print('done')
            '''
        self.run_script(script.replace('WARM', '1'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('context_change', 'context.grad_mode', 8))
        self.run_script(script.replace('WARM', '6'), 'done\n')
        self.assertEqual(self.findings(), [])

    def test_a_function_is_not_kept_alive(self):
        self.run_script('''
            import gc
            import weakref
            import torch
            from torch._dynamo import eval_frame

            def used(number):
                names = {}
                exec(f'def scale(values):\\n    return {number}', names)
                compiled = torch.compile(names['scale'])
                compiled(torch.Tensor((4,)))
                return weakref.ref(names['scale'].__code__), compiled

            codes = []
            for number in range(3):
                code, compiled = used(number)
                codes.append(code)
            eval_frame._caches.clear()
            del code, compiled
            gc.collect()
            print([code() for code in codes])
            ''', '[None, None, None]\n')
        self.assertEqual(self.rows('SELECT count(*), count(DISTINCT id) FROM function'), [(3, 3)])

    def test_versions_whose_log_says_less(self):
        self.replace('torch/__init__.py', "'2.15.0'", "'2.3.1+cpu'")
        script = '''
            import torch

            @torch.compile(dynamic=DYNAMIC)
            def score(block):
                """DOC"""
                return 'score'

            for epoch in range(5):
                for size in range(2, 12):
                    score(torch.Tensor((size,)))
            print('done')
            '''
        self.run_script(script.replace('DOC', 'fixes sizes').replace('DYNAMIC', 'None'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['path'], finding['line']), ('dimension_specialized', 'args[0].shape[0]', 7))
        self.assertEqual(self.rows('SELECT DISTINCT words FROM trace_miss'), [("the engine's own words",)])
        self.assertEqual(self.rows('SELECT DISTINCT name, category FROM trace_phase ORDER BY name'),
                         [('backend', 'compile'), ('dynamo', 'trace'), ('guards', 'trace')])
        self.assertEqual(self.report()['run']['engines'][-1]['missing_hooks'], [])
        self.run_script(script.replace('DYNAMIC', 'False'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['evidence']['eager_calls']), ('recompile_limit', 10))
        self.run_script(script.replace('DOC', 'breaks').replace('DYNAMIC', 'None'), 'done\n')
        finding, = self.findings()
        self.assertEqual((finding['cause'], finding['line'], finding['engine_said']), ('graph_break', 7, 'Tensor.item'))

    def test_backends_are_told_apart_as_pytorch_does(self):
        done = self.run_python('-c', textwrap.dedent('''
            from footlight_recorder.adapters.torch_backends import Backends

            def made():
                def counting(graph, inputs):
                    return graph
                return counting

            def wrapped(backend):
                def wrapper():
                    pass
                wrapper._torchdynamo_orig_backend = backend
                return wrapper

            backends, first, second = Backends(), made(), made()
            print([backends.text(one) for one in (first, second, wrapped(first), None, None)])
            '''))
        self.assertEqual(done.stdout, "['counting', 'counting, object 2', 'counting', 'inductor', 'inductor']\n", done.stderr)

    def test_a_missing_hook_is_said(self):
        self.replace('torch/_dynamo/guards.py', 'CheckFunctionManager', 'Checks')
        self.replace('torch/_dynamo/convert_frame.py', 'CheckFunctionManager', 'Checks')
        self.run_script('''
            import torch
            f = torch.compile(lambda x: 'result')
            print(f(torch.Tensor((4,))), f(torch.Tensor((4,))))
            ''', 'result result\n')
        self.assertEqual(self.report()['run']['engines'][-1]['missing_hooks'],
                         ['guards not recorded: torch 2.15.0 has no torch._dynamo.guards.CheckFunctionManager.__init__'])

    def test_errors_of_the_adapter_are_notes(self):
        self.replace('torch/__init__.py', 'get_num_threads = lambda: 1', 'get_num_threads = lambda: 1 // 0')
        done = self.record('''
            import torch
            f = torch.compile(lambda x: 'result')
            for _ in range(3):
                print(f(torch.Tensor((4,))))
            ''', '--engine', 'torch')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 'result\n' * 3, ''))
        self.assertTrue(self.rows("SELECT text FROM console WHERE text LIKE 'Not all was recorded%'"))

    def test_texts_of_both_directions(self):
        self.run_script('''
            import torch

            @torch.compile
            def loss(values):
                """trains"""
                return 'loss'

            print(loss(torch.Tensor((4,))))
            ''', 'loss\n')
        self.assertEqual(self.rows('SELECT name, kind FROM trace_artifact ORDER BY name'),
                         [('Bytecode', 'bytecode'), ('Dynamo graph', 'fx'), ('Inductor code', 'python'),
                          ('Inductor code, backward', 'python'), ('Inductor graph', 'fx'),
                          ('Inductor graph, backward', 'fx')])
        sizes = {name: data[0] for name, data in self.rows('SELECT name, data FROM trace_artifact')}  # before the text
        self.assertEqual(sizes['Inductor graph'], len('graph of the forward'))
        self.assertEqual(sizes['Inductor graph, backward'], len('graph of the backward'))
        self.assertEqual(sizes['Inductor code, backward'] - sizes['Inductor code'], 2)

    BEFORE = '''
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                self.rate = 2

            def forward(self, values):
                return self.rate

        @torch.compile
        def scale(weights, rate):
            return rate

        @torch.compile
        def made_only(values):
            return values

        model = torch.compile(Net())
        model(torch.Tensor((4, 2)))
        model(torch.Tensor((8, 2)))
        scale(torch.Tensor((4,)), 0.5)
        scale(torch.Tensor((4,)), 0.25)
        import footlight_recorder
        with footlight_recorder.record('run.footlight'):
            print(model(torch.Tensor((6, 2))), end=' ')
            for rate in (0.5, 0.25, 0.125, 0.125):
                print(scale(torch.Tensor((4,)), rate), end=' ')
        '''

    def run_before(self, *changes):
        text = self.BEFORE
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write('script.py', text)
        done = self.run_python('script.py')
        self.assertEqual((done.returncode, done.stdout), (0, '2 0.5 0.25 0.125 0.125 '), done.stderr)

    def test_functions_from_before(self):
        self.run_before()
        self.assertEqual(self.rows('SELECT name, kind FROM function ORDER BY name'),
                         [('Net.forward', 'dynamo'), ('made_only', 'dynamo'), ('scale', 'dynamo')])
        traces = self.rows('SELECT f.name, t.number, native_id, signature, why FROM trace t JOIN function f '
                           'ON t.function = f.id ORDER BY f.name, t.number')
        self.assertEqual(traces, [('Net.forward', 1, '0/0', 'f32[4,2] self.rate=2', ''),
                                  ('Net.forward', 2, '0/1', 'f32[None,2] self.rate=2', ''),
                                  ('scale', 1, '1/0', 'f32[4] 0.5', ''), ('scale', 2, '1/1', 'f32[4] 0.25', ''),
                                  ('scale', 3, '1/2', 'f32[4] 0.125', 'value of rate')])
        # Against every trace from before, with the values that their guards demand.
        self.assertEqual(self.rows("SELECT path, was, now, words FROM trace_miss ORDER BY was"),
                         [('args[1]', '0.25', '0.125', "the engine's own words"),
                          ('args[1]', '0.5', '0.125', "the engine's own words")])
        calls = self.said('sql', 'run.footlight', 'SELECT function, trace, outcome FROM calls ORDER BY start_ns')
        self.assertEqual([(one['function'], one['trace'], one['outcome']) for one in calls],
                         [('Net.forward', 2, 'hit'), ('scale', 1, 'hit'), ('scale', 2, 'hit'), ('scale', 3, 'trace'),
                          ('scale', 3, 'hit')])
        artifacts = dict(self.rows("SELECT a.name, a.kind FROM trace_artifact a JOIN trace t ON a.trace = t.id "
                                   "WHERE t.native_id = '1/0'"))
        self.assertEqual(artifacts, {'Guards': 'guards', 'Bytecode': 'bytecode', 'Dynamo graph': 'absent'})
        missing, = self.said('report', 'run.footlight')['run']['engines'][-1]['missing_hooks']
        self.assertIn('torch.compile had made 3 functions before', missing)
        self.assertNotIn('demand of tensors', missing)

    def test_a_function_from_before_that_a_local_variable_holds(self):
        self.run_before(("        with footlight", "        def run(scale):\n         with footlight"),
                        ("            print(model", "             print(model"),
                        ("            for rate", "             for rate"),
                        ("                print(scale", "                 print(scale"),
                        ("rate), end=' ')\n", "rate), end=' ')\n        run(scale)\n"))
        calls = self.said('sql', 'run.footlight',
                          "SELECT trace, outcome FROM calls WHERE function = 'scale' ORDER BY start_ns")
        self.assertEqual([(one['trace'], one['outcome']) for one in calls],
                         [(1, 'hit'), (2, 'hit'), (3, 'trace'), (3, 'hit')])

    def test_a_function_from_before_that_a_guard_looks_at(self):
        """A stand-in in its place would make the function with that guard compile again."""
        self.replace('torch/_dynamo/convert_frame.py', "return f'{source} == {demanded!r}'",
                     "return f\"___check_obj_id(G['scale'], {demanded})\"")
        before = "        import footlight_recorder"
        self.run_before((before, f"        kept = scale\n{before}"),
                        ("                print(scale",
                         "                assert scale is kept\n                print(scale"))

    def test_guards_from_before_without_tensors(self):
        self.replace('torch/_dynamo/convert_frame.py', "return (f'check_tensor({source}, ",
                     "return f'___check_tensors({source}, tensor_check_names=names)'\n    return (f'")
        self.run_before()
        self.assertEqual(self.rows("SELECT signature FROM trace WHERE native_id LIKE '1/%' ORDER BY number"),
                         [('0.5',), ('0.25',), ('f32[4] 0.125',)])
        missing, = self.said('report', 'run.footlight')['run']['engines'][-1]['missing_hooks']
        self.assertIn('what their guards demand of tensors is not recorded', missing)

    def test_engines_by_name(self):
        script = '''
            import sys
            import torch
            f = torch.compile(lambda x: x)
            print(f(3), 'footlight_recorder.adapters.torch' in sys.modules)
            '''
        self.run_script(script, '3 False\n', '--engine', 'footlight')
        for options in [], ['--engine', 'torch'], ['--engine=auto']:
            self.run_script(script, '3 True\n', *options)
