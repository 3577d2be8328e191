"""tensorflow.python.util: functions and their decorators, structures, names of the public interface."""
