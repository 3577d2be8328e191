"""A model, which has no layers."""
from keras.src.backend.tensorflow.trainer import TensorFlowTrainer
from keras.src.trainers import trainer


class Model(TensorFlowTrainer, trainer.Trainer):
    def __init__(self, loss=None):
        self.loss, self.jit_compile, self.function = loss, False, None
