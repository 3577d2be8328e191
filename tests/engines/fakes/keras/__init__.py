"""The surface of Keras that the adapter of TensorFlow hooks."""
from keras.src.models.model import Model
