// Hand-made trees: names, sets of names, the unparser's parentheses, quotes and line map.
#include "engine/autograph/name_set.h"
#include "engine/autograph/unparse.h"

#include <QtTest>

using namespace footlight::autograph;

namespace {

Position on(uint32_t line) { return {line, 0, line, 1}; }

Node* name(Tree& tree, const char* id) { return tree.load(tree.name(id), on(1)); }

Node* binary(Tree& tree, Node* left, Op op, Node* right) {
  Node* node = tree.make(Kind::kBinOp, on(1));
  node->node(at::BinOp::left) = left;
  node->fields()[at::BinOp::op].op = op;
  node->node(at::BinOp::right) = right;
  return node;
}

QString text(const Tree& tree, const Node* node) { return QString::fromStdString(unparse_expression(tree, node)); }

Node* f_string(Tree& tree, std::initializer_list<Node*> parts) {
  Node* joined = tree.make(Kind::kJoinedStr, on(1));
  std::vector<Node*> values;
  for (Node* part : parts) {
    if (part->kind == Kind::kConstant) {
      values.push_back(part);
      continue;
    }
    Node* value = tree.make(Kind::kFormattedValue, on(1));
    value->node(at::FormattedValue::value) = part;
    value->fields()[at::FormattedValue::conversion].integer = -1;
    values.push_back(value);
  }
  joined->fields()[at::JoinedStr::values].list = tree.list(values);
  return joined;
}

}  // namespace

class TestTree : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tableKnowsItsFields() {
    QCOMPARE(QString(info(Kind::kIf).name), QString("If"));
    QCOMPARE(int(info(Kind::kIf).field_count), 3);
    QCOMPARE(QString(info(Kind::kIf).fields[at::If::orelse].name), QString("orelse"));
    QCOMPARE(QString(info(Kind::kTypeVar).fields[at::TypeVar::fallback].name), QString("default_value"));
    for (const KindInfo& kind : kinds) QVERIFY(kind.name != nullptr && kind.field_count <= kMaxFields);
  }

  void namesAreInternedAndFreshOnesNew() {
    Tree tree;
    QCOMPARE(tree.name("x"), tree.name("x"));
    Name* first = tree.fresh("get_state");
    Name* second = tree.fresh("get_state");
    QCOMPARE(std::string(first->text), std::string("get_state"));
    QCOMPARE(std::string(second->text), std::string("get_state_1"));
    QVERIFY(first->generated && !tree.name("x")->generated);
    QCOMPARE(tree.name_at(second->id), second);
  }

  void setsOfNamesGrow() {
    NameSet a, b;
    a.add(3u);
    a.add(700u);
    b.add(700u);
    QVERIFY(a.has(3u) && a.has(700u) && !a.has(4u) && !b.has(3u));
    a.remove_all(b);
    QVERIFY(a.has(3u) && !a.has(700u));
    a.add_all(b);
    a.keep_only(b);
    QVERIFY(!a.has(3u) && a.has(700u) && !a.empty());
    std::vector<uint32_t> seen;
    a.for_each([&](uint32_t id) { seen.push_back(id); });
    QCOMPARE(seen, std::vector<uint32_t>{700});
  }

  void parenthesesOnlyWhereNeeded() {
    Tree tree;
    Node *a = name(tree, "a"), *b = name(tree, "b"), *c = name(tree, "c");
    QCOMPARE(text(tree, binary(tree, binary(tree, a, Op::kAdd, b), Op::kAdd, c)), QString("a + b + c"));
    QCOMPARE(text(tree, binary(tree, a, Op::kSub, binary(tree, b, Op::kAdd, c))), QString("a - (b + c)"));
    QCOMPARE(text(tree, binary(tree, a, Op::kMult, binary(tree, b, Op::kAdd, c))), QString("a * (b + c)"));
    QCOMPARE(text(tree, binary(tree, a, Op::kPow, binary(tree, b, Op::kPow, c))), QString("a ** b ** c"));
    QCOMPARE(text(tree, tree.unary(Op::kNot, binary(tree, a, Op::kAdd, b), on(1))), QString("not a + b"));
    QCOMPARE(text(tree, tree.tuple(tree.list({a}), Op::kLoad, on(1))), QString("(a,)"));
    QCOMPARE(text(tree, tree.attribute(tree.integer(1, on(1)), "real", on(1))), QString("1 .real"));
  }

  void quotesAndEscapes() {
    Tree tree;
    QCOMPARE(text(tree, tree.string("it's", on(1))), QString("\"it's\""));
    QCOMPARE(text(tree, tree.string("a'b\"c", on(1))), QString("'a\\'b\"c'"));
    QCOMPARE(text(tree, tree.string("\n\x01\\", on(1))), QString("'\\n\\x01\\\\'"));
    QCOMPARE(text(tree, tree.string("\xed\xa0\x80", on(1))), QString("'\\ud800'"));  // a lone surrogate
  }

  void fStringsKeepTheirQuotesApart() {
    Tree tree;
    Node* key = tree.make(Kind::kSubscript, on(1));
    key->node(at::Subscript::value) = name(tree, "d");
    key->node(at::Subscript::slice) = tree.string("k", on(1));
    QCOMPARE(text(tree, f_string(tree, {tree.string("v: ", on(1)), key})), QString("f\"v: {d['k']}\""));
    QCOMPARE(text(tree, f_string(tree, {tree.string("{\n", on(1)), name(tree, "x")})), QString("f'{{\\n{x}'"));
    // The last part must not close the string early.
    QCOMPARE(text(tree, f_string(tree, {key, tree.string("\"", on(1))})), QString("f'''{d['k']}\"'''"));
  }

  void everyLineKnowsItsStatement() {
    Tree tree;
    Node* inner = tree.assign(tree.store(tree.name("y"), on(8)), tree.string("two\nlines", on(8)), on(8));
    Node* function = tree.function(tree.name("f"), tree.arguments({tree.name("x")}, on(7)),
                                   tree.list({inner, tree.pass(on(9))}), on(7));
    const Text made = unparse(tree, function);
    QCOMPARE(QString::fromStdString(made.text), QString("def f(x):\n    y = 'two\\nlines'\n    pass"));
    QCOMPARE(made.line_map, (std::vector<int>{7, 8, 9}));
  }

  void docstringLinesBelongToTheirStatement() {
    Tree tree;
    Node* doc = tree.expression(tree.string("one\ntwo", on(2)), on(2));
    Node* function =
        tree.function(tree.name("f"), tree.arguments({}, on(1)), tree.list({doc, tree.pass(on(4))}), on(1));
    const Text made = unparse(tree, function);
    QCOMPARE(QString::fromStdString(made.text), QString("def f():\n    \"\"\"one\ntwo\"\"\"\n    pass"));
    QCOMPARE(made.line_map, (std::vector<int>{1, 2, 2, 4}));
  }
};

QTEST_APPLESS_MAIN(TestTree)
#include "test_tree.moc"
