"""Where the statement is that TorchDynamo traces."""


class TracingContext:
    stack = []

    @staticmethod
    def extract_stack():
        return TracingContext.stack
