"""Modules of generated code."""
import importlib.util
import tempfile


class PyCodeCache:
    modules = []

    @classmethod
    def load(cls, text):
        with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as file:
            file.write(text)
        spec = importlib.util.spec_from_file_location('generated', file.name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        cls.modules.append(module)
        return module
