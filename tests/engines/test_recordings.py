"""Recordings of real engines, by version: what the report says of them. `recordings/jax_train.py` made those of JAX."""
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
