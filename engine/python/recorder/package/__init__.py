"""Records what a Python program does into a Footlight session. It loads no engine: a program under any can be recorded."""
# Nothing of the extension is loaded here, so that `-m footlight_recorder` can say what is missing in any Python.
