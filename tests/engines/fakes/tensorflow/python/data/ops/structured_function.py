"""A dataset traces the functions that are given to it."""
from tensorflow.python.eager.polymorphic_function import polymorphic_function


class StructuredFunctionWrapper:
    def __init__(self, func, transformation_name, element=None):
        def wrapped_fn(*args):
            return func(*args)

        traced = polymorphic_function.Function(wrapped_fn, 'map', experimental_attributes={'_tf_data_function': True})
        self.concrete = traced.get_concrete_function(element)


class Dataset:
    def __init__(self, element):
        self.element = element

    def map(self, func):
        StructuredFunctionWrapper(func, 'Dataset.map()', self.element)
        return self
