// Tokens of Python, outlines of sources, and what is read of a line.
#include "engine/source/lexer.h"
#include "engine/source/line.h"
#include "engine/source/outline.h"

#include <QTest>

#include <random>

using namespace footlight::source;

namespace {

// "n:def n:f (:( n:x ): ) o::": the kinds and texts of all tokens.
std::string tokens_of(std::string_view text, LineState state = LineState::kCode) {
  std::string out;
  Lexer lexer(text, state);
  while (lexer.next()) {
    if (!out.empty()) out += ' ';
    out += "n1s#()NJo"[static_cast<size_t>(lexer.token.kind)];
    if (lexer.token.kind != TokenKind::kNewline && lexer.token.kind != TokenKind::kJoin) out += lexer.text();
  }
  return out;
}

std::vector<std::string> arguments_of(std::string_view text, size_t at) {
  std::vector<std::string> out;
  const auto found = arguments_from(text, at);
  if (!found) return {"none"};
  for (const std::string_view one : *found) out.emplace_back(one);
  return out;
}

}  // namespace

class TestSource : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tokens() {
    QCOMPARE(tokens_of("def f(x=1.5):  # yes"), std::string("ndef nf (( nx o= 11.5 )) o: ## yes"));
    QCOMPARE(tokens_of("a = '#no' + \"it's\"\n"), std::string("na o= s'#no' o+ s\"it's\" N"));
    QCOMPARE(tokens_of("x \\\n + 1"), std::string("nx J o+ 11"));
    QCOMPARE(tokens_of("x \\\r\n y"), std::string("nx J ny"));
    QCOMPARE(tokens_of("s = 'a\\'b' c"), std::string("ns o= s'a\\'b' nc"));
    QCOMPARE(tokens_of("s = 'open\nnext"), std::string("ns o= s'open N nnext"));  // a string ends with its line
    QCOMPARE(tokens_of("'''a\n'b''' c"), std::string("s'''a\n'b''' nc"));
    QCOMPARE(tokens_of("'a\\\nb' c"), std::string("s'a\\\nb' nc"));
    QCOMPARE(tokens_of("r'x' '' \"\"\"\"\"\""), std::string("nr s'x' s'' s\"\"\"\"\"\""));
    QCOMPARE(tokens_of("größe2 \xff"), std::string("ngröße2 n\xff"));
    QCOMPARE(tokens_of("\\x"), std::string("o\\ nx"));
    QCOMPARE(tokens_of(""), std::string());
  }

  void lines_that_go_on() {
    QCOMPARE(state_after("x = '''a", LineState::kCode), LineState::kTripleSingle);
    QCOMPARE(state_after("b \"\"\" # c", LineState::kTripleSingle), LineState::kTripleSingle);
    QCOMPARE(state_after("'''", LineState::kTripleSingle), LineState::kCode);
    QCOMPARE(state_after("x = 'a\\\n", LineState::kCode), LineState::kSingle);
    QCOMPARE(state_after("", LineState::kSingle), LineState::kCode);
    QCOMPARE(state_after("", LineState::kTripleDouble), LineState::kTripleDouble);
    QCOMPARE(state_after("x = 'a\\\\'", LineState::kCode), LineState::kCode);
    QCOMPARE(state_after("x + \\", LineState::kCode), LineState::kCode);
    QCOMPARE(tokens_of("b' + c", LineState::kSingle), std::string("sb' o+ nc"));

    StatementLines lines;
    std::string begins;
    for (const char* line : {"x = f(1,\n", "2)\n", "y = 'a\\\r\n", "b'  # (\n", "z = '''\n", "(''' + \\\n", "1\n",
                             ")\n", "w = 2"})
      begins += lines.feed(line) ? 'b' : '.';
    QCOMPARE(begins, std::string(".b.b..bbb"));
  }

  void utf16() {
    BasicLexer<char16_t> lexer(u"größe = '…'  # x");
    QVERIFY(lexer.next() && lexer.text() == u"größe");
    QVERIFY(lexer.next() && lexer.is('='));
    QVERIFY(lexer.next() && lexer.token.kind == TokenKind::kString && lexer.text() == u"'…'");
    QVERIFY(lexer.next() && lexer.token.kind == TokenKind::kComment);
    QVERIFY(!lexer.next());
  }

  void outlines_of_sources() {
    const Outline outline = outline_of(
        "def f(x):  # for a in b:\n"
        "    for k in range(\n"
        "            3):\n"
        "        s = '''\n"
        "for q in z:\n"
        "'''\n"
        "        y = [g(k)\n"
        "             for k in x if k]\n"
        "    while x: x = 1\n"
        "    return {a: b for a, b in x}\n"
        "for i in f(1):\n"
        "    def g(z):\n"
        "        return z\n");
    QCOMPARE(outline.loops.size(), size_t{5});
    QCOMPARE(outline.loops[0].head, std::string("for k in range( 3)"));
    QCOMPARE(outline.loops[0].last_line, 8);
    QCOMPARE(outline.loops[1].head, std::string("for k in x"));
    QCOMPARE(outline.loops[1].line, 8);
    QCOMPARE(outline.loops[1].first_line, 7);
    QCOMPARE(outline.loops[2].head, std::string("while x"));
    QCOMPARE(outline.loops[3].head, std::string("for a, b in x"));
    QCOMPARE(outline.loops_around(7).size(), size_t{2});
    QCOMPARE(outline.loops_around(13).size(), size_t{0});  // a def in a loop is made there, not run
    QCOMPARE(outline.function_around(13), 12);
    QCOMPARE(outline_of("x = (").loops.size(), size_t{0});
    QCOMPARE(outline_of("x = [a for").loops.size(), size_t{1});
    const Outline one_line = outline_of("y = [[f(a) for a in b] for b in c for d in e]\n");
    QCOMPARE(one_line.loops.size(), size_t{3});  // outer ones first
    QCOMPARE(one_line.loops[0].head, std::string("for b in c"));
    QCOMPARE(one_line.loops[1].head, std::string("for d in e"));
    QCOMPARE(one_line.loops[2].head, std::string("for a in b"));
  }

  void functions() {
    const Outline outline = outline_of(
        "class A:\n"
        "    @property\n"
        "    async def f(self):\n"
        "        def inner(): yield 1\n"
        "        text = 'yield'\n"
        "        return inner\n"
        "\n"
        "def g(yields):\n"
        "\tif yields:\n"
        "\t\tx = [(yield)]\n"
        "def h(): pass\n");
    QCOMPARE(outline.functions.size(), size_t{4});
    QCOMPARE(outline.functions[0].name, std::string("f"));
    QCOMPARE(outline.functions[0].last_line, 6);
    QVERIFY(!outline.functions[0].is_generator);
    QCOMPARE(outline.functions[1].name, std::string("inner"));
    QVERIFY(outline.functions[1].is_generator && outline.functions[2].is_generator);
    QCOMPARE(outline.innermost(4)->name, std::string("inner"));
    QCOMPARE(outline.around(*outline.innermost(4))->name, std::string("f"));
    QCOMPARE(outline.function_around(5), 3);
    QVERIFY(!outline.innermost(7) && !outline.innermost(1) && !outline.around(outline.functions[3]));
    QCOMPARE(outline.function_from(4), 4);
    QCOMPARE(outline.function_from(5), 8);
    QCOMPARE(outline.function_from(12), 0);
  }

  void indentation() {
    QCOMPARE(indent_of("  \tx").columns, size_t{8});
    QCOMPARE(indent_of("  \tx").characters, size_t{3});
    QCOMPARE(indent_of("    \f x").columns, size_t{1});
    QCOMPARE(unindented("\t x "), std::string_view("x "));
    QVERIFY(is_blank_or_comment("  # x") && is_blank_or_comment(" \r\n") && !is_blank_or_comment(" x"));
  }

  void definitions() {
    QCOMPARE(leading_word("  async for x in y:"), std::string_view("for"));
    QCOMPARE(leading_word("@def x"), std::string_view());
    QCOMPARE(leading_word("define(x)"), std::string_view("define"));
    QCOMPARE(defined_function("  async  def\tstep (x):"), std::string_view("step"));
    for (const char* other : {"", "async", "def", "def (", "x = def f", "undef f"})
      QCOMPARE(defined_function(other), std::string_view());
  }

  void names() {
    const std::vector<std::string> wanted{"self.index", "np", "TABLE"};
    QCOMPARE(names_in("    y = self.index[np.sin(1e9)] + TABLE + f'{z}'  # other").size(), size_t{4});
    const std::vector<std::string> found = names_in("g(self.index, np.sin(1e9), key=TABLE, s=b'x')  # other");
    QCOMPARE(found, wanted);
    QVERIFY(has_name("from data import TABLE as t", "TABLE") && !has_name("x.TABLE", "TABLE"));
    QVERIFY(!has_name("x = 'TABLE'", "TABLE") && !has_name("TABLES", "TABLE"));
    QVERIFY(assigns("  a, b = f(x)", "b") && assigns("for b in a:", "b") && !assigns("a[b] = 1", "b"));
    QVERIFY(!assigns("a.b = 1", "b") && !assigns("for a in b:", "b"));
  }

  void calls() {
    const std::string_view line = "y = step(x, [1, 2], s=')', f=g(1, 2))  # step(z)";
    const size_t at = find_call(line, "step");
    QCOMPARE(at, size_t{9});
    QVERIFY(find_call(line, "step", at) != std::string_view::npos);  // texts and comments count: the caller looks
    QCOMPARE(arguments_of(line, at), (std::vector<std::string>{"x", " [1, 2]", " s=')'", " f=g(1, 2)"}));
    QCOMPARE(arguments_of("f(1,", 2), std::vector<std::string>{"none"});
    QCOMPARE(arguments_of("f(1  # )", 2), std::vector<std::string>{"none"});
    QCOMPARE(find_call("def step(x):", "step"), std::string_view::npos);
    QCOMPARE(find_call("onestep(x)", "step"), std::string_view::npos);
    QCOMPARE(find_call("self.step(x)", "step"), size_t{10});
    QCOMPARE(keyword_of(" rate = 0.1"), std::string_view("rate"));
    QCOMPARE(keyword_of("a == b"), std::string_view());
    QCOMPARE(keyword_of("f(a=1)"), std::string_view());
    QCOMPARE(brackets_opened("f(')', [x  # )"), 2);
    QCOMPARE(without_comment("s = '#'  # x"), std::string_view("s = '#'  "));
    QCOMPARE(iterating_call("    return functools.reduce(lambda a, b: a + b, items)"), std::string("functools.reduce"));
    QCOMPARE(iterating_call("y = 2 * sum(xs)"), std::string("sum"));
    for (const char* other : {"tf.reduce_sum(x)", "df.sum(axis=0)", "tf.map_fn(f, x)", "dataset.map(f)", "checksum(x)"})
      QCOMPARE(iterating_call(other), std::string());
  }

  void lambdas() {
    QCOMPARE(lambda_text("ds.map(lambda x, y: (x, y), n)"), std::string_view("lambda x, y: (x, y)"));
    QCOMPARE(lambda_text("f = lambda x: ',)' + x  # y"), std::string_view("lambda x: ',)' + x"));
    QCOMPARE(lambda_text("ds.map(lambda x: f(x,"), std::string_view());
    QCOMPARE(lambda_text("f(lambda x: x, lambda y: y)"), std::string_view());
  }

  // Any bytes have tokens that follow each other, and an outline.
  void hostile_texts() {
    std::mt19937 random(7);
    constexpr std::string_view kParts[] = {
        "'", "\"", "'''", "\"\"\"", "\\", "\n",  "\r\n", "(",   "]",     "{",     "#",      " ", "\t", "\f",
        ":", ",",  ".",   "1",      "x",  "\xff", "def",  "for", "async", "yield", "lambda"};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (size_t parts = random() % 40; parts-- > 0;) text += kParts[random() % std::size(kParts)];
      if (round % 7 == 0) text += '\0';
      const auto state = static_cast<LineState>(random() % 5);
      Lexer lexer(text, state);
      size_t end = 0;
      while (lexer.next()) {
        QVERIFY(lexer.token.begin >= end && lexer.token.end > lexer.token.begin && lexer.token.end <= text.size());
        end = lexer.token.end;
      }
      QVERIFY(text.find_first_not_of(" \t\r\f", end) == text.npos);
      const Outline outline = outline_of(text);
      for (const Function& f : outline.functions) QVERIFY(f.line <= f.last_line && outline.innermost(f.line) == &f);
      for (const Loop& loop : outline.loops) QVERIFY(loop.first_line <= loop.line && loop.line <= loop.last_line);
      names_in(text), lambda_text(text), defined_function(text), keyword_of(text), iterating_call(text);
      arguments_from(text, text.size() / 2);
    }
    // Deep nests and many brackets take no stack.
    std::string deep(300'000, '(');
    for (int i = 0; i < 1000; ++i) deep += '\n' + std::string(static_cast<size_t>(i % 500), ' ') + "def f():";
    QCOMPARE(outline_of(deep).functions.size(), size_t{0});
    QCOMPARE(outline_of(std::string_view(deep).substr(300'000)).functions.size(), size_t{1000});
  }
};

QTEST_APPLESS_MAIN(TestSource)
#include "test_source.moc"
