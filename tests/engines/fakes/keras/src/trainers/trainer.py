"""What all backends share of training."""


class Trainer:
    def compile(self, jit_compile=False):
        self.jit_compile = jit_compile
