"""A call of a tf.function, repeated with functions run eagerly and by its graph, under a fake of TensorFlow."""
from compared import ComparedCase

# An eager call takes 3 ms in Python, 1 ms in the dispatcher and 4 ms in a kernel; a compiled one 2 ms until its graph runs and
# 5 ms in the graph's kernel.
SCRIPT = '''
    import random
    import tensorflow as tf
    from tensorflow.core.function.polymorphism import function_cache
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.data.ops.iterator_ops import OwnedIterator
    from tensorflow.python.eager.polymorphic_function import concrete_function, polymorphic_function

    weight = tf.Variable(0)
    batches = OwnedIterator(list(range(100)))
    counts = []
    is_tracing = []

    def run_graph():
        weight.assign(weight.value + 1)
        next(batches)
        pywrap_tfe.work(0.005)
    concrete_function.when_run = run_graph

    @tf.function
    def step(x, source=None):
        if is_tracing:
            return
        weight.assign(weight.value + 1)
        next(batches)
        counts.append(random.random())
        pywrap_tfe.work(0.003)
        pywrap_tfe.TFE_Py_FastPathExecute(None, 'Relu', None, 0.001, 0.004)

    lookup = function_cache.FunctionCache.lookup

    def slow_lookup(*args):
        pywrap_tfe.work(0.002)
        return lookup(*args)

    is_tracing.append(True)
    step(tf.ones((4,)))
    is_tracing.clear()
    function_cache.FunctionCache.lookup = slow_lookup
    for _ in range(3):
        step(tf.ones((4,)))
    print(weight.value, batches.at, counts, random.random() < 1)
    '''


class CompareTensorFlow(ComparedCase):
    installed = ('tensorflow',)

    def test_each_kind_of_work_has_its_share(self):
        said, compared = self.compare(SCRIPT, 3, 2)
        self.assertEqual(said, '4 4 [] True\n')  # nothing of the repetitions is left
        rows = self.check_shares(compared)
        self.assertEqual(rows['Relu']['group'], 'in the executable')
        self.assertGreater(rows['Relu']['eager_ns']['mean'], 3.9e6)
        self.assertGreater(rows['mul']['traced_ns']['mean'], 4.9e6)  # joined with the node by its name
        self.assertEqual(rows['mul']['group'], 'only traced')

    def test_without_a_profiler_kernels_count_as_launches(self):
        self.replace('tensorflow/python/profiler/internal/_pywrap_profiler.py', '    def start(self, folder, options):\n',
                     '    def start(self, folder, options):\n        raise RuntimeError("another profiler runs")\n')
        _, compared = self.compare(SCRIPT, 3, 2)
        self.assertGreater(compared['left']['shares_ns']['launches'], 4.9e6)
        self.assertGreater(compared['right']['shares_ns']['launches'], 4.9e6)
        self.assertIn('TensorFlow runs kernels while it launches them', ' '.join(compared['notes']))

    def test_an_iterator_that_cannot_be_saved_is_named(self):
        said, compared = self.compare('''
            import tensorflow as tf
            from tensorflow.python.data.ops.iterator_ops import OwnedIterator
            batches = OwnedIterator(list(range(100)), can_be_saved=False)

            @tf.function
            def step(x):
                next(batches)

            step(tf.ones((4,)))
            print(batches.at)
            ''')
        self.assertEqual(said, '1\n')
        self.assertEqual(compared['sentence'], "The call cannot be repeated: the dataset's iterator batches cannot be put back: "
                                               'NotImplementedError: GeneratorDataset cannot be saved.')
