"""Recordings of real engines, by version: what the report says of them. `recordings/ENGINE_train.py` made those of an engine;
texts of its own files were taken out of them.
"""
import gzip
import pathlib
import shutil

from with_fakes import WithFakes

RECORDINGS = pathlib.Path(__file__).resolve().parent / 'recordings'


class Recordings(WithFakes):
    installed = ()

    def unpacked(self, packed):
        path = self.path(packed.stem)
        with gzip.open(packed) as source, open(path, 'wb') as target:
            shutil.copyfileobj(source, target)
        return path

    def test_jax(self):
        packed = sorted(RECORDINGS.glob('jax-*.footlight.gz'))
        self.assertEqual([p.name for p in packed], [f'jax-{v}.footlight.gz' for v in ('0.10.2', '0.4.35', '0.6.2')])
        for one in packed:
            with self.subTest(one.name):
                session = self.unpacked(one)
                said = self.said('report', session)
                engine = said['run']['engines'][-1]
                self.assertEqual((engine['name'], engine['version'], engine['missing_hooks']),
                                 ('jax', one.name.removeprefix('jax-').removesuffix('.footlight.gz'), []))
                self.assertEqual(said['run']['exit'], 0)
                functions = {f['function']: (f['calls'], f['traces'], f['hits'], f['compiles']) for f in said['functions']}
                self.assertEqual(functions, {'update': (9, 2, 6, 3), 'error': (6, 6, 0, 6)})
                found = {f['cause']: (f['function'], f['path'], f['line']) for f in said['findings']}
                self.assertEqual(found['python_scalar_argument'], ('error', 'args[3]', 23))
                self.assertEqual(found['weak_type_flip'], ('update', 'args[3]', 10))
                self.assertEqual(found['recompile_without_retrace'][1], "args[0]['b'].sharding")
                stages = self.rows('SELECT stage, count(*) FROM trace_graph GROUP BY 1 ORDER BY 1', session)
                self.assertEqual(stages, [('hlo', 8), ('jaxpr', 8)])

    def check(self, engine, versions, functions, found):
        """(calls, traces, hits) of functions, and (function, path, line) of findings, whatever the version."""
        packed = {path.name: path for path in RECORDINGS.glob(f'{engine}-*.footlight.gz')}
        self.assertEqual(sorted(packed), sorted(f'{engine}-{version}.footlight.gz' for version in versions))
        for version in versions:
            with self.subTest(f'{engine} {version}'):
                said = self.said('report', self.unpacked(packed[f'{engine}-{version}.footlight.gz']))
                ran = said['run']['engines'][-1]
                self.assertEqual((ran['name'], ran['version'].partition('+')[0], ran['missing_hooks']), (engine, version, []))
                self.assertEqual({f['function']: (f['calls'], f['traces'], f['hits']) for f in said['functions']}, functions)
                self.assertEqual({f['cause']: (f['function'], f['path'], f['line']) for f in said['findings']}, found)

    def test_torch(self):
        self.check('torch', ('2.3.1', '2.6.0', '2.15.0'),
                   {'score': (12, 6, 6), 'width': (12, 5, 7), 'Net.forward': (12, 1, 11)},
                   {'identical_graphs': ('score', 'args[1]', 33), 'varying_shape': ('width', 'args[0].shape[0]', 22),
                    'graph_break': ('Net.forward', 'hidden.sum() > 0', 12)})

    def test_tensorflow(self):
        self.check('tensorflow', ('2.15.1', '2.18.1', '2.21.0'),
                   {'error': (6, 6, 0), 'update': (6, 6, 0), 'mean_of.<locals>.mean': (6, 6, 0)},
                   {'varying_shape': ('error', 'args[1].shape[0]', 10), 'python_scalar_argument': ('update', 'args[2]', 25),
                    'function_made_in_loop': ('mean_of.<locals>.mean', 'mean_of', 16)})
