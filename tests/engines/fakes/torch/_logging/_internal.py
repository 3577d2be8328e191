"""The logger that PyTorch writes its structured trace to."""
import logging

trace_log = logging.getLogger('torch.__trace')
trace_log.setLevel(logging.DEBUG)
trace_log.propagate = False


def trace_structured(native, name, about=None, payload=None):
    """Logs a record as PyTorch does where the log has handlers."""
    if trace_log.handlers:
        frame, compilation = native.split('/')
        metadata = {name: about or {}, 'frame_id': int(frame), 'frame_compile_id': int(compilation), 'attempt': 0}
        trace_log.debug('', extra={'metadata': metadata, 'payload': payload})
