"""Reading, changing and writing Python code through the modules that TensorFlow has for it, as libraries do that import them by
their places. What is compared is what TensorFlow 2.21 gives, with trees of gast where that is installed."""
import ast
import functools
import inspect
import io
import os
import textwrap
import types
import unittest
from contextlib import redirect_stdout

from footlight import _alias
_alias.install()

from tensorflow.python.autograph.converters import directives as directives_converter  # noqa: E402
from tensorflow.python.autograph.core import converter, converter_testing, unsupported_features_checker  # noqa: E402
from tensorflow.python.autograph.lang import directives  # noqa: E402
from tensorflow.python.autograph.pyct import (  # noqa: E402
    anno, ast_util, cache, error_utils, errors, gast_util, inspect_utils, loader, naming, origin_info, parser, pretty_printer,
    qual_names, templates, transformer, transpiler)

QN, of = qual_names.QN, functools.partial(parser.unparse, include_encoding_marker=False)
factor = 1


def kinds(nodes):
    return [type(node).__name__ for node in nodes]


def context():
    return transformer.Context(transformer.EntityInfo('f', '', None, (), {}), naming.Namer({}), None)


class Source(unittest.TestCase):
    def test_functions_and_classes(self):
        def doubled(x):
            return x * 2  # twice

        class Kept:
            def method(self):
                """Less
   indented."""
                return 1
        node, source = parser.parse_entity(doubled, ())
        self.assertEqual((node.name, source.split('\n')[0]), ('doubled', 'def doubled(x):'))
        self.assertEqual(parser.parse_entity(Kept.method, ())[0].body[0].value.value, 'Less\n   indented.')
        self.assertEqual(kinds([parser.parse_entity(Kept, ())[0]]), ['ClassDef'])
        made = {}
        exec('def f(): pass', made)
        self.assertRaises(errors.InaccessibleSourceCodeError, parser.parse_entity, made['f'], ())

    def test_lambdas(self):
        one, two = (lambda x: x + 1), (lambda y: y * 2)
        three = (
            lambda x, *, z=2:
            x + z)
        self.assertEqual([of(parser.parse_entity(f, ())[0]) for f in (one, two, three)],
                         ['lambda x: x + 1', 'lambda y: y * 2', 'lambda x, *, z=2: x + z'])
        alike, _ = (lambda x: x + 1), (lambda x: x * 2)
        self.assertRaises(errors.UnsupportedLanguageElementError, parser.parse_entity, alike, ())

    def test_text(self):
        block = "\n    def f(x):\n  # a comment\n      '''a\nb'''\n      return (x,\n1)\n    f(1)\n"
        self.assertEqual(kinds(ast.parse(parser.dedent_block(block)).body), ['FunctionDef', 'Expr'])
        self.assertIn("'''a\nb'''", parser.dedent_block(block))
        self.assertEqual(parser.unparse(parser.parse('a=1')), '# coding=utf-8\na = 1')
        self.assertEqual(of([parser.parse('a=1'), parser.parse('b')]), 'a = 1\nb')
        self.assertEqual(kinds(parser.parse('a\nb=1', single_node=False)), ['Expr', 'Assign'])
        self.assertEqual(kinds([parser.parse('import a\nb', preamble_len=1)]), ['Expr'])
        for wrong in ('', 'a = 1', 'a b'):
            self.assertRaises(ValueError, parser.parse_expression, wrong)
        self.assertEqual([gast_util.is_literal(parser.parse_expression(text)) for text in ('1', '"a"', 'a')], [True, True, False])

    def test_modules(self):
        module, file = loader.load_source(textwrap.dedent('''
            def f(x):
              return x + 1
        '''), delete_on_exit=True)
        self.assertEqual((module.f(1), 'x + 1' in inspect.getsource(module.f), os.path.exists(file)), (2, True, True))
        module, source, _ = loader.load_ast([parser.parse('def f(): return 3'), parser.parse('def g(): return f()')])
        self.assertEqual((module.g(), source[:8]), (3, '# coding'))

    def test_what_is_known_of_functions(self):
        kept = 5

        def f():
            return kept
        self.assertEqual([inspect_utils.getnamespace(f)[name] for name in ('kept', 'factor')], [5, 1])
        self.assertEqual([inspect_utils.islambda(g) for g in (f, lambda: 1, 1)], [False, True, False])
        inner, outer, thing = types.ModuleType('inner'), types.ModuleType('outer'), object()
        outer.inner, inner.outer, inner.thing = inner, outer, thing
        names = {'x': 1, 'o': outer}
        self.assertEqual([inspect_utils.getqualifiedname(names, o) for o in (outer, thing, object())], ['o', 'o.inner.thing', None])
        self.assertIsNone(inspect_utils.getqualifiedname(names, thing, max_depth=1))
        self.assertIs(inspect_utils.getmethodclass(Source.test_text), Source)
        made = {}
        exec('from __future__ import annotations\ndef f(): pass', made)
        self.assertEqual([inspect_utils.getfutureimports(g) for g in (made['f'], f)], [('annotations',), ()])
        codes, unbound = cache.CodeObjectCache(), cache.UnboundInstanceCache()
        codes[f]['a'] = 1
        self.assertTrue(codes.has(f, 'a') and not codes.has(f, 'b') and not codes.has(kinds, 'a'))
        unbound[self.test_text]['a'] = 1
        self.assertTrue(unbound.has(Source.test_text, 'a'))


class Trees(unittest.TestCase):
    def test_notes(self):
        node = parser.parse('pass')
        self.assertRaises(AttributeError, anno.getanno, node, 'a')
        anno.setanno(node, 'a', 1)
        anno.dup(node, {'a': 'b'})
        other = parser.parse('pass')
        anno.copyanno(node, other, 'b')
        anno.delanno(node, 'a')
        self.assertEqual([anno.keys(node), anno.keys(other), anno.getanno(node, 'a', None), anno.hasanno(node, 'b')],
                         [{'b'}, {'b'}, None, True])
        self.assertRaises(KeyError, anno.getanno, node, 'a')
        self.assertEqual(repr(anno.Basic.QN), 'QN')

    def test_names(self):
        a = QN('a')
        both = QN(QN(a, attr='b'), subscript=QN('i'))
        self.assertEqual([str(both), both.ssf(), str(both.parent), both.has_subscript(), sorted(map(str, both.owner_set))],
                         ['a.b[i]', 'a_b_sub_i', 'a.b', True, ['a', 'a.b']])
        self.assertEqual((both.support_set, {both: 1}[qual_names.from_str('a.b[i]')]), ({a, QN('i')}, 1))
        self.assertNotEqual(QN(a, attr='b'), QN(a, subscript=QN('b')))
        for wrong in ({'attr': 'b'}, {'subscript': 'b'}, {'attr': 'b', 'subscript': a}):
            self.assertRaises(ValueError, QN, 'a', **wrong)
        found = [anno.getanno(node.value, anno.Basic.QN, None) for node in qual_names.resolve(parser.parse(
            'def f():\n  a\n  a.b.c\n  a[1]["k"]\n  a[b.c].d\n  a[1:2]\n  a[...]\n  f().x')).body]
        self.assertEqual(list(map(str, found)), ['a', 'a.b.c', "a[1]['k']", 'a[b.c].d', 'None', 'None', 'None'])
        self.assertEqual({str(one) for one in found[2].support_set}, {'a', '1', "'k'"})
        namer = naming.Namer({'n': 1})
        self.assertEqual([namer.new_symbol(name, {QN('m'), 'k', QN(QN('o'), attr='p')}) for name in ('n', 'n', 'm', 'k', 'o', 'p')],
                         ['n_1', 'n_2', 'm_1', 'k_1', 'o', 'p_1'])

    def test_copies_and_comparisons(self):
        node = qual_names.resolve(parser.parse('def f(a):\n  global b\n  return a.x + b'))
        anno.setanno(node, 'a', 1)
        clean, noted = ast_util.copy_clean(node), ast_util.copy_clean(node, {'a'})
        self.assertEqual([anno.hasanno(clean, 'a'), anno.hasanno(noted, 'a'), of(clean)], [False, True, of(node)])
        self.assertEqual({type(x) is type(y) for x, y in ast_util.parallel_walk(node, clean)}, {True})
        with self.assertRaisesRegex(ValueError, 'inconsistent nodes'):
            list(ast_util.parallel_walk(node, parser.parse('def f(): pass')))
        renamed = ast_util.rename_symbols(node, {qual_names.from_str('a.x'): QN('y'), QN('b'): QN('c')})
        self.assertEqual(of(renamed).split('\n')[1:], ['    global c', '    return y + c'])
        self.assertTrue(ast_util.matches(parser.parse_expression('f(a.b, 1)'), 'f(_, 1)'))
        self.assertFalse(ast_util.matches(parser.parse_expression('f(a.b, 2)'), 'f(_, 1)'))
        seen, assigned = [], parser.parse('a, (b, c) = d, e')
        ast_util.apply_to_single_assignments(assigned.targets, assigned.value, lambda t, v: seen.append((of(t), of(v))))
        self.assertEqual(seen, [('a', 'd'), ('b', 'e[0]'), ('c', 'e[1]')])
        self.assertEqual(of(ast_util.keywords_to_dict(parser.parse_expression('f(a=b)').keywords)), "{'a': b}")

    def test_printed(self):
        self.assertEqual(pretty_printer.fmt(parser.parse('return'), color=False), 'Return:\n| value=None\n')
        text = pretty_printer.fmt(parser.parse('a = "b"'), color=False)
        for line in ('Assign:', '| targets=[', '| | | id=u"a"', '| ]', '| value=Constant:', '| | value=u"b"'):
            self.assertIn(line + '\n', text)

    def test_templates(self):
        def made(text, **replacements):
            return of(templates.replace(text, **replacements))
        self.assertEqual(made('def f(args):\n  body\n  return x.m', f='g', args=['a', 'b'], x=QN('a'), m='n',
                              body=parser.parse('y = 1\nz = 2', single_node=False)),
                         'def g(a, b):\n    y = 1\n    z = 2\n    return a.n')
        self.assertEqual(made('call(args, k=0)', args=['a', 'b'], k=[parser.parse_expression('f(x=1)').keywords[0]]),
                         'call(a, b, x=1)')
        for target in ('a.b[c]', '[a.b, c]', '(a, *b)'):
            node = templates.replace('t = 0', t=parser.parse_expression(target))[0]
            self.assertEqual(ast.dump(parser.parse(of(node))), ast.dump(parser.parse(target + ' = 0')))
            compile(of(node), 'f', 'exec')
            self.assertEqual(type(node.targets[0].ctx).__name__, 'Store')
        self.assertEqual(of(templates.replace_as_expression('lambda: f(a)', a='b')), 'lambda: f(b)')
        for wrong in (lambda: templates.replace('x.y', y=parser.parse_expression('f()')), lambda: templates.replace('a', a=1), lambda: templates.replace('return a', a=('b', 'c')),
                      lambda: templates.replace('f(a=1)', a='b'), lambda: templates.replace_as_expression('a = 1')):
            self.assertRaises(ValueError, wrong)

    def test_walks_with_state(self):
        class Depth:
            name = None

        class Walk(transformer.Base):
            def visit_FunctionDef(self, node):
                with self.state[Depth] as depth:
                    depth.name = node.name
                    node.body = self.visit_block(node.body, after_visit=lambda one: (one, None))
                return node

            def visit_Pass(self, node):
                return [parser.parse(f'at = "{self.state[Depth].name} {self.state[Depth].level}"'), node]

            def visit_Break(self, node):
                return None
        walk = Walk(context())
        node = walk.visit(parser.parse('def f():\n  def g():\n    pass\n  while a:\n    x = 1\n    break\n  pass'))
        self.assertEqual(of(node).count('break'), 0)
        self.assertEqual([line.strip() for line in of(node).split('\n') if 'at' in line], ["at = 'g 3'", "at = 'f 2'"])
        self.assertRaises(ValueError, walk.visit, [node])
        with redirect_stdout(io.StringIO()) as said:
            self.assertIs(walk.debug_print_src(walk.debug_print(node)), node)
        self.assertIn('def f():', said.getvalue())
        self.assertTrue(issubclass(converter.Base, transformer.Base))

    def test_statements_that_follow_go_elsewhere(self):
        class Walk(transformer.Base):
            def visit_FunctionDef(self, node):
                node.body = self.visit_block(node.body, after_visit=self.guarded)
                return node

            def guarded(self, node):
                if not kinds([node]) == ['Pass']:
                    return node, None
                made = templates.replace('if c: pass')[0]
                made.body = []
                return made, made.body
        self.assertEqual(of(Walk(context()).visit(parser.parse('def f():\n  a\n  pass\n  b'))), 'def f():\n    a\n    if c:\n        b')

    def test_text_of_generators(self):
        class Write(transformer.CodeGenerator):
            def visit_Assign(self, node):
                self.emit(f'{of(node.targets[0])} := {of(node.value)}\n')
        write = Write(context())
        write.visit(parser.parse('def f():\n  a = 1\n  b = a'))
        self.assertEqual(write.code_buffer, 'a := 1\nb := a\n')

    def test_origins(self):
        def f(x):
            y = x  # kept

            return y
        node, source = parser.parse_entity(f, ())
        origin_info.resolve_entity(node, source, f)
        first, origin = f.__code__.co_firstlineno, anno.getanno(node.body[0], anno.Basic.ORIGIN)
        self.assertEqual((origin.loc.lineno, origin.function_name, origin.comment, origin.as_frame()[3].strip()),
                         (first + 1, 'f', 'kept', 'y = x  # kept'))
        module, _, lines = loader.load_ast(node, include_source_map=True)
        self.assertEqual((module.f(3), sorted(one.loc.lineno for one in lines.values())), (3, [first, first + 1, first + 3]))

        frames = [('a.py', 1, 'a', None), (module.__file__, 4, 'f', ''), ('to.py', 1, 'to', ''), ('g.py', 1, 'g', 'code'),
                  ('h.py', 2, 'h', None)]
        said = error_utils.ErrorMetadataBase(frames, None, 'words', lines, 'to.py')
        self.assertEqual([(one.function_name, one.lineno, one.is_converted, one.is_allowlisted) for one in said.translated_stack],
                         [('h', 2, False, False), ('g', 1, False, True), ('f', first + 3, True, False)])
        self.assertRegex(said.get_message(), r'(?s)^in user code:\n.* in f  \*\n        return y\n.* in g  \*\*\n        code\n'
                         r'.* in h\n        <source unavailable>\n\n    words\n$')
        outer = error_utils.ErrorMetadataBase(frames[:1], said, 'other words', {}, 'to.py')
        self.assertEqual(([one.function_name for one in outer.translated_stack], outer.cause_message), (['h', 'g', 'f', 'a'], 'words'))
        for kind in (ValueError, KeyError, type('Own', (Exception,), {})):
            error = said.to_exception(kind('words'))
            self.assertTrue(isinstance(error, kind) and '    words\n' in str(error) and error.ag_error_metadata is said)

    def test_what_cannot_be_converted(self):
        for text, words in (('self.__x', 'mangled names'), ('for i in x: pass\nelse: pass', 'for/else'),
                            ('while x: pass\nelse: pass', 'while/else')):
            with self.assertRaisesRegex(errors.UnsupportedLanguageElementError, words):
                unsupported_features_checker.verify(parser.parse(text))
        unsupported_features_checker.verify(parser.parse('x.__class__'))


class Minus(transpiler.PyToPy):
    """Subtracts where functions add."""
    made = 0

    def get_caching_key(self, user_context):
        return user_context

    def get_extra_locals(self):
        return {'extra': 5}

    def transform_ast(self, node, ctx):
        class Change(transformer.Base):
            def visit_BinOp(self, node):
                minus = parser.parse_expression('a - b').op
                node.op = minus if kinds([node.op]) == ['Add'] else node.op
                return self.generic_visit(node)
        self.made += 1
        return Change(ctx).visit(node)


class Functions(unittest.TestCase):
    def test_made_anew(self):
        kept = 2

        def f(a, b=kept + 1, *, c=factor):
            """Words."""
            return a + b + c + kept + extra  # noqa: F821
        minus = Minus()
        made, module, lines = minus.transform(f, 'key')
        self.assertEqual((made(1), made.__doc__, made.__name__, minus.transform(f, 'key')[0](10)), (-10, 'Words.', 'f', -1))
        kept = 0
        self.assertEqual((made(1), minus.made), (-8, 1))
        minus.transform(f, 'other')
        self.assertEqual(minus.made, 2)
        self.assertIn(f.__code__.co_firstlineno + 2, {one.loc.lineno for one in lines.values()})
        self.assertTrue(os.path.exists(module.__file__))

    def test_annotations(self):
        def f(x: Minus, y: 'unknown' = 2) -> QN:  # noqa: F821
            return y + x
        made = Minus().transform(f, None)[0]
        self.assertEqual((made(1), made.__annotations__), (1, {'x': Minus, 'y': 'unknown', 'return': QN}))
        self.assertEqual(Minus().transform(kinds, None)[0].__name__, 'kinds_1')  # the module has the other name

    def test_lambdas_and_methods(self):
        class Kept:
            def method(self, x):
                return (lambda y: x + y)(1)
        self.assertEqual(Minus().transform(lambda x: x + factor, None)[0](3), 2)
        self.assertEqual([Minus().transform(method, None)[0](None, 3) for method in (Kept.method, Kept().method)], [2, 2])
        self.assertRaises(NotImplementedError, Minus().transform, 1, None)

    def test_anything_may_come_of_trees(self):
        class Name(transpiler.GenericTranspiler):
            def transform_ast(self, node, ctx):
                return ctx.info.name, ctx.user
        self.assertEqual(Name().transform(kinds, 'mine')[0], ('kinds_1', 'mine'))


class Directives(converter_testing.TestCase):
    def noted(self, f):
        return self.transform(f, directives_converter, include_ast=True)[1]

    def test_variables(self):
        def f(a):
            values = []
            directives.set_element_type(a, 1, shape=2)
            directives.set_element_type(values, 'b', a)
            return values
        node = self.noted(f)
        self.assertEqual(len(node.body), 2)
        of_a, of_values = [anno.getanno(one, anno.Static.DEFINITIONS)[0].directives[directives.set_element_type]
                           for one in (node.args.args[0], node.body[0].targets[0])]
        self.assertEqual([of_a['dtype'].value, of_a['shape'].value, of_values['dtype'].value, of_values['shape'].id], [1, 2, 'b', 'a'])

    def test_where_values_may_come_from(self):
        def f(a):
            b = 1
            if a:
                b = 2
            while b:
                b -= a
            try:
                a = b
            except ValueError:
                b = 0
            return a, b
        _, node, ctx = self.transform(f, (), include_ast=True)
        in_a, in_b = node.body[-1].value.elts
        first, second = node.body[2].test, node.body[1].test
        places = [anno.getanno(one, anno.Static.ORIG_DEFINITIONS) for one in (in_a, in_b, first, second)]
        self.assertEqual(list(map(len, places)), [2, 4, 3, 1])
        for i, definition in enumerate(places[0]):
            definition.directives['key'] = {'same': parser.parse_expression('x'), 'other': parser.parse_expression(f'x{i}')}
        of_tree = converter.Base(ctx)
        self.assertEqual(of_tree.get_definition_directive(in_a, 'key', 'same', None).id, 'x')
        self.assertEqual(of_tree.get_definition_directive(in_b, 'key', 'same', 7), 7)
        self.assertRaises(ValueError, of_tree.get_definition_directive, in_a, 'key', 'other', None)

    def test_loops(self):
        def f(a):
            while a:
                directives.set_loop_options(10, maximum_iterations=a)

        def late(a):
            while a:
                a -= 1
                directives.set_loop_options(10)
        said = anno.getanno(self.noted(f).body[0], anno.Basic.DIRECTIVES)[directives.set_loop_options]
        self.assertEqual([said['parallel_iterations'].value, said['maximum_iterations'].id, len(said)], [10, 'a', 2])
        with self.assertRaisesRegex(ValueError, 'must be the first statement'):
            self.noted(late)
