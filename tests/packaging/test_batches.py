"""Which source files may be compiled as one (packaging/cmake/batches.py)."""
import importlib.util
import os
import tempfile
import unittest

SOURCE = os.environ.get('FOOTLIGHT_SOURCE', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
spec = importlib.util.spec_from_file_location('batches', os.path.join(SOURCE, 'packaging', 'cmake', 'batches.py'))
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


class Batches(unittest.TestCase):
    def together(self, *texts):
        """Whether the files with these texts all land in one batch."""
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, f'{i}.cpp') for i in range(len(texts))]
            for file, text in zip(files, texts):
                with open(file, 'w', encoding='utf-8') as f:
                    f.write(text)
            made = script.batches(files)
        self.assertEqual(sorted(sum(made, [])), files)
        return len(made) == 1

    def private(self, text):
        return f'namespace footlight {{\n\nnamespace {{\n\n{text}\n\n}}  // namespace\n\nint open();\n\n}}\n'

    def test_names_of_unnamed_namespaces(self):
        one = self.private('int helper(int x) {\n  return other(x);\n}')
        self.assertTrue(self.together(one, self.private('int other(int x) { return x; }')))
        for text in ('void helper() {}', 'struct helper {\n};', 'constexpr int kA = 1, helper = 2;',
                     'const Name helper{"a"};', 'using helper = int;', 'int helper[2];'):
            self.assertFalse(self.together(one, self.private(text)), text)
        self.assertFalse(self.together('static int helper() {}\n', 'static int helper() {}\n'))
        self.assertTrue(self.together(one, self.private('const char kText[] = "helper(";  // helper(')))

    def test_names_that_are_only_used(self):
        self.assertTrue(self.together(self.private('class One final : public Base {\n};'),
                                      self.private('class Two final : public Base {\n};')))
        self.assertFalse(self.together(self.private('class One final : public Base {\n};'), self.private('class Base {\n};')))
        self.assertTrue(self.together(self.private('constexpr int kOne = 254;'), self.private('constexpr int kTwo[] = {254};')))
        borrowed = self.private('using other::Kind;')
        self.assertTrue(self.together(borrowed, self.private('using other::Kind;\nusing other::Name;')))
        for text in ('using another::Kind;', 'enum class Kind { kA };', 'int Kind();'):
            self.assertFalse(self.together(borrowed, self.private(text)), text)

    def test_names_that_others_see(self):
        method = 'int Type::draw() {\n}\n'
        self.assertTrue(self.together(method, method.replace('Type', 'Other')))

    def test_what_changes_the_meaning_of_others(self):
        self.assertFalse(self.together('#define helper 1\n', 'int a();\n'))
        self.assertFalse(self.together('using namespace footlight;\n', 'int a();\n'))
        self.assertTrue(self.together('using namespace footlight;\n', 'using namespace footlight;\n'))

    def test_sizes(self):
        self.assertTrue(self.together(*['int a();\n'] * script.MOST_FILES))
        self.assertFalse(self.together(*['int a();\n'] * (script.MOST_FILES + 1)))
        self.assertFalse(self.together('\n' * (script.MOST_LINES - 1), '\n\n'))
