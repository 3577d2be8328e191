"""The step function that Keras makes for TensorFlow."""
import tensorflow as tf


class TensorFlowTrainer:
    def make_train_function(self):
        def one_step_on_iterator(data):
            return self.loss(*data)

        self.function = self.function or tf.function(one_step_on_iterator, reduce_retracing=True,
                                                     jit_compile=self.jit_compile or None)

    def train_on_batch(self, x, y):
        self.make_train_function()
        return self.function((x, y))
