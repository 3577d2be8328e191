// The passes on hand-made functions: marks, lowering, liveness, and work that grows linearly with the function.
#include "engine/autograph/activity.h"
#include "engine/autograph/convert.h"
#include "engine/autograph/lower.h"
#include "engine/autograph/unparse.h"

#include <QtTest>

using namespace footlight::autograph;

namespace {

Position on(uint32_t line) { return {line, 0, line, 1}; }

// Builds functions in the way that the code would read: f.assign("y", f.name("x")).
struct Builder {
  Tree tree;
  uint32_t line = 1;

  Node* name(const char* id) { return tree.load(tree.name(id), on(line)); }
  Node* assign(const char* id, Node* value) {
    return tree.assign(tree.store(tree.name(id), on(line)), value, on(line));
  }
  Node* number(int64_t n) { return tree.integer(n, on(line)); }
  Node* positive(const char* id) {
    Node* node = tree.make(Kind::kCompare, on(line));
    node->node(at::Compare::left) = name(id);
    const Op op = Op::kGt;
    node->fields()[at::Compare::ops].ops = tree.op_list(&op, 1);
    node->fields()[at::Compare::comparators].list = tree.list({number(0)});
    return node;
  }
  Node* if_(Node* test, std::initializer_list<Node*> body, std::initializer_list<Node*> orelse = {}) {
    Node* node = tree.make(Kind::kIf, on(line));
    node->node(at::If::test) = test;
    node->fields()[at::If::body].list = tree.list(body);
    node->fields()[at::If::orelse].list = tree.list(orelse);
    return node;
  }
  Node* while_(Node* test, std::initializer_list<Node*> body) {
    Node* node = tree.make(Kind::kWhile, on(line));
    node->node(at::While::test) = test;
    node->fields()[at::While::body].list = tree.list(body);
    return node;
  }
  Node* return_(Node* value) {
    Node* node = tree.make(Kind::kReturn, on(line));
    node->node(at::Return::value) = value;
    return node;
  }
  Node* function(const std::vector<Node*>& body) {
    return tree.function(tree.name("f"), tree.arguments({tree.name("x")}, on(1)), tree.list(body), on(1));
  }
};

QString lowered_text(Builder& b, Node* function, Style style = Style::kReadable) {
  std::vector<Fate> fates;
  uint64_t steps = 0;
  const Marks marks = mark(function, style, fates, steps);
  const Lowered lowered = lower(b.tree, function, marks, steps);
  Node* made = b.tree.copy(function);
  made->fields()[at::FunctionDef::body].list = lowered.body;
  return QString::fromStdString(unparse(b.tree, made).text);
}

uint64_t steps_of(int count, bool nested_returns) {
  Builder b;
  std::vector<Node*> body;
  for (int i = 0; i < count; ++i) {
    ++b.line;
    if (nested_returns) body.push_back(b.if_(b.positive("x"), {b.return_(b.number(i))}));
    else body.push_back(b.if_(b.positive("x"), {b.assign("y", b.number(1))}, {b.assign("y", b.number(2))}));
  }
  body.push_back(b.return_(nested_returns ? b.name("x") : b.name("y")));
  Conversion conversion = convert(b.tree, b.function(body));
  return conversion.function ? conversion.steps : 0;
}

}  // namespace

class TestPasses : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void breakBecomesFlags() {
    Builder b;
    Node* leave = b.if_(b.positive("y"), {b.tree.make(Kind::kBreak, on(3))});
    Node* function = b.function({b.while_(b.positive("x"), {leave, b.assign("x", b.number(1))})});
    QCOMPARE(lowered_text(b, function),
             QString("def f(x):\n"
                     "    break_ = False\n"
                     "    while not break_ and x > 0:\n"
                     "        continue_ = False\n"
                     "        if y > 0:\n"
                     "            break_ = True\n"
                     "            continue_ = True\n"
                     "        if not continue_:\n"
                     "            x = 1"));
  }

  void whatFollowsAReturningBranchMovesIntoTheOther() {
    Builder b;
    Node* function = b.function({b.if_(b.positive("x"), {b.return_(b.number(1))}), b.assign("y", b.number(2)),
                                 b.return_(b.name("y"))});
    QCOMPARE(lowered_text(b, function),
             QString("def f(x):\n"
                     "    if x > 0:\n"
                     "        return 1\n"
                     "    else:\n"
                     "        y = 2\n"
                     "        return y"));
  }

  void loopElseRunsUnlessLeft() {
    Builder b;
    Node* loop = b.while_(b.positive("x"), {b.if_(b.positive("y"), {b.tree.make(Kind::kBreak, on(1))})});
    loop->fields()[at::While::orelse].list = b.tree.list({b.assign("z", b.number(1))});
    const QString text = lowered_text(b, b.function({loop}));
    QVERIFY2(text.endsWith("    if not break_:\n        z = 1"), qPrintable(text));
  }

  void livenessKeepsWhatIsReadLater() {
    Builder b;
    Node* choice = b.if_(b.positive("x"), {b.assign("a", b.number(1)), b.assign("b", b.number(2))});
    Node* function = b.function({choice, b.return_(b.name("a"))});
    std::vector<Fate> fates;
    uint64_t steps = 0;
    mark(function, Style::kReadable, fates, steps);
    const Activity activity = analyse(b.tree, function, function->list(at::FunctionDef::body), {}, steps);
    const Flow& flow = activity.flow(choice);
    QVERIFY(flow.live_out.has(b.tree.name("a")) && !flow.live_out.has(b.tree.name("b")));
    QVERIFY(flow.live_in.has(b.tree.name("x")) && flow.bound.has(b.tree.name("b")));
    QVERIFY(!flow.defined_in.has(b.tree.name("a")) && flow.defined_in.has(b.tree.name("x")));
  }

  void aLoopKeepsAliveWhatItsNextTurnReads() {
    Builder b;
    Node* loop = b.while_(b.positive("x"), {b.assign("y", b.name("z")), b.assign("z", b.number(1)),
                                            b.assign("x", b.name("y"))});
    Node* function = b.function({loop});
    std::vector<Fate> fates;
    uint64_t steps = 0;
    mark(function, Style::kReadable, fates, steps);
    const Activity activity = analyse(b.tree, function, function->list(at::FunctionDef::body), {}, steps);
    QVERIFY(activity.flow(loop).live_in.has(b.tree.name("z")));
    QVERIFY(!activity.flow(loop).live_in.has(b.tree.name("y")));
  }

  void conditionsThatAreAlwaysPython() {
    Builder b;
    QVERIFY(always_python(b.number(1)));
    QVERIFY(!always_python(b.positive("x")));
    QVERIFY(always_python(b.tree.call(b.name("isinstance"), {b.name("x"), b.name("int")}, on(1))));
    Node* not_none = b.positive("x");
    const Op op = Op::kIsNot;
    not_none->fields()[at::Compare::ops].ops = b.tree.op_list(&op, 1);
    QVERIFY(always_python(b.tree.unary(Op::kNot, not_none, on(1))));
  }

  // Counted, not timed: the work of TensorFlow's walk doubles with every if. The first levels of nested statements are
  // written once more for each level around them, hence the constant.
  void workIsLinear() {
    for (const bool returns : {false, true}) {
      const uint64_t s16 = steps_of(16, returns), s64 = steps_of(64, returns), s256 = steps_of(256, returns);
      QVERIFY(s16 > 0);
      QVERIFY2(s64 <= 4 * s16 + 512, qPrintable(QString("%1 %2").arg(s16).arg(s64)));
      QVERIFY2(s256 <= 4 * s64 + 512, qPrintable(QString("%1 %2").arg(s64).arg(s256)));
    }
  }

  void deepElifChainsAreLinearToo() {
    auto steps = [](int depth) {
      Builder b;
      Node* chain = b.if_(b.positive("x"), {b.return_(b.number(0))}, {b.return_(b.number(1))});
      for (int i = 1; i < depth; ++i) chain = b.if_(b.positive("x"), {b.return_(b.number(i))}, {chain});
      return convert(b.tree, b.function({chain})).steps;
    };
    QVERIFY(steps(200) <= 4 * steps(50) + 512);
  }
};

QTEST_APPLESS_MAIN(TestPasses)
#include "test_passes.moc"
