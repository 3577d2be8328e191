"""Runs the bytecode of a frame symbolically."""


class InstructionTranslator:
    def run(self):
        pass
