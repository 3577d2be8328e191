"""Maps from tensors to tensors: tf.raw_ops.TensorMap..., in eager, in functions, in loops and in gradients."""
import unittest

import footlight as tf

ops = tf.raw_ops
map_ops = tf.python.ops.map_ops


def both(check):
    """Runs a check of a test eagerly and traced."""
    def run(self):
        check(self)
        tf.function(lambda: check(self), autograph=False)()
    return run


class Maps(unittest.TestCase):
    def test_changed_maps_leave_others_as_they_were(self):
        empty = ops.EmptyTensorMap()
        maps = [empty]
        for k in range(20):
            maps.append(ops.TensorMapInsert(input_handle=maps[-1], key=k % 7, value=float(k)))
        self.assertEqual([int(ops.TensorMapSize(input_handle=m)) for m in maps], [min(k, 7) for k in range(21)])
        for at in (3, 20, 7, 12, 0, 19):  # whatever the order in which they are looked at
            for key in range(7):
                values = [k for k in range(at) if k % 7 == key]
                there = bool(ops.TensorMapHasKey(input_handle=maps[at], key=key))
                self.assertEqual(there, bool(values))
                if there:
                    found = ops.TensorMapLookup(input_handle=maps[at], key=key, value_dtype=tf.float32)
                    self.assertEqual(float(found), float(values[-1]))
        keys = ops.TensorMapStackKeys(input_handle=maps[20], key_dtype=tf.int32)
        self.assertEqual(keys.numpy().tolist(), list(range(7)))
        less = ops.TensorMapErase(input_handle=maps[20], key=2, value_dtype=tf.float32)
        self.assertEqual(ops.TensorMapStackKeys(input_handle=less, key_dtype=tf.int32).numpy().tolist(), [0, 1, 3, 4, 5, 6])
        self.assertEqual(int(map_ops.tensor_map_size(maps[20])), 7)

    def test_keys_are_told_apart_by_dtype_shape_and_contents(self):
        m, keys = ops.EmptyTensorMap(), [1, 1.0, [1], [[1]], 'a', ['a', 'b'], ['ab', ''], True, tf.constant([], tf.int32)]
        for number, key in enumerate(keys):
            m = ops.TensorMapInsert(input_handle=m, key=key, value=number)
        self.assertEqual(int(ops.TensorMapSize(input_handle=m)), len(keys))
        found = [int(ops.TensorMapLookup(input_handle=m, key=key, value_dtype=tf.int32)) for key in keys]
        self.assertEqual(found, list(range(len(keys))))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Key does not match requested dtype'):
            ops.TensorMapStackKeys(input_handle=m, key_dtype=tf.int32)

    def test_what_is_not_there(self):
        empty = ops.EmptyTensorMap()
        one = ops.TensorMapInsert(input_handle=empty, key=1, value='x')
        for wrong, words in (
                (lambda: ops.TensorMapLookup(input_handle=one, key=2, value_dtype=tf.string), 'lookup non-existent key'),
                (lambda: ops.TensorMapErase(input_handle=empty, key=1, value_dtype=tf.string), 'erase non-existent item'),
                (lambda: ops.TensorMapStackKeys(input_handle=empty, key_dtype=tf.int32), 'empty map'),
                (lambda: ops.TensorMapLookup(input_handle=one, key=1, value_dtype=tf.int32), 'string'),
                (lambda: ops.TensorMapSize(input_handle=ops.EmptyTensorList(
                    element_shape=[], max_num_elements=-1, element_dtype=tf.int32)), 'expected a map of tensors')):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, words):
                wrong()
        two = ops.TensorMapInsert(input_handle=one, key=[1, 2], value='y')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'must all have the same shape'):
            ops.TensorMapStackKeys(input_handle=two, key_dtype=tf.int32)

    @both
    def test_gradients(self):
        a, b = tf.constant(11.0), tf.constant([2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([a, b])
            m = map_ops.tensor_map_insert(map_ops.empty_tensor_map(), 1, a)
            m = map_ops.tensor_map_insert(m, 'second', b)
            first = map_ops.tensor_map_lookup(m, 1, tf.float32)
            second = map_ops.tensor_map_lookup(m, 'second', tf.float32)
            replaced = map_ops.tensor_map_insert(m, 1, first * 3.0)
            rest = map_ops.tensor_map_erase(replaced, 'second', tf.float32)
            last = map_ops.tensor_map_lookup(rest, 1, tf.float32)
            y = first * first + tf.reduce_sum(second * 5.0) + last
            alone = last * 2.0
        found = tape.gradient(y, [a, b])
        for value, wanted in zip(found, (2 * 11.0 + 3.0, [5.0, 5.0])):
            tf.debugging.assert_near(value, wanted)
        found = tape.gradient(alone, [a, b])
        tf.debugging.assert_near(found[0], 6.0)
        tf.debugging.assert_near(tf.zeros([2]) if found[1] is None else found[1], [0.0, 0.0])

    def test_in_staged_branches_and_loops(self):
        @tf.function
        def counted(words):
            m = map_ops.empty_tensor_map()
            for word in words:
                if map_ops.tensor_map_has_key(m, word):
                    m = map_ops.tensor_map_insert(m, word, map_ops.tensor_map_lookup(m, word, tf.int32) + 1)
                else:
                    m = map_ops.tensor_map_insert(m, word, 1)
            keys = tf.ensure_shape(map_ops.tensor_map_stack_keys(m, tf.string), [None])
            counts = tf.map_fn(lambda key: map_ops.tensor_map_lookup(m, key, tf.int32), keys,
                               fn_output_signature=tf.TensorSpec([], tf.int32))
            return keys, counts
        keys, counts = counted(tf.constant(['a', 'b', 'a', 'c', 'b', 'a']))
        self.assertEqual((keys.numpy().tolist(), counts.numpy().tolist()), ([b'a', b'b', b'c'], [3, 2, 1]))
