"""The parts of TorchDynamo that are hooked."""
import sys

from torch._dynamo import config, convert_frame, eval_frame, guards, output_graph, symbolic_convert

sys.modules['torch']._dynamo = sys.modules[__name__]
