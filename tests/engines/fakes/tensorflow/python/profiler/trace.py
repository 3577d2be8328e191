"""Named spans of the profile."""
from tensorflow.python.profiler.internal._pywrap_profiler import event as Trace
