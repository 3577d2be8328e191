// Which node is said to have made the first NaN, and in which words.
#include "engine/explain/values.h"
#include "engine/session/users_line.h"

#include <QTest>

#include <cmath>

using namespace footlight;
using namespace footlight::explain;

namespace {

session::TensorValue value(uint32_t node, uint64_t step, int64_t nan, int64_t infinity) {
  session::TensorValue v;
  v.graph = GraphId(1);
  v.node = NodeId(node);
  v.order = v.at = step;
  v.first_nan = nan ? step : 0;
  v.first_infinity = infinity ? step : 0;
  v.nan = nan;
  v.negative_infinity = infinity;
  v.dtype = "float32";
  v.shape = "(2, 3, 4)";
  v.elements = 24;
  return v;
}

// A node made at line 620 of a library, which line 11 of the program called.
struct Places {
  std::vector<session::FileRecord> files{{session::FileId(0), "/home/ada/net.py", ""},
                                         {session::FileId(1), "/v/lib/python3.11/site-packages/keras/numpy.py", ""}};
  std::vector<session::LocationRecord> locations;

  const session::FileRecord* file(session::FileId id) const {
    return id.value < files.size() ? &files[id.value] : nullptr;
  }
  const session::LocationRecord* location(session::LocationId id) const {
    return id.value < locations.size() ? &locations[id.value] : nullptr;
  }
  struct SourcePlace { session::FileId file; int line = 0; };
  SourcePlace place(SourceRef source) const {
    if (!source.code.valid()) return {};
    return {session::FileId(source.code.value), static_cast<int>(source.offset)};
  }
};

}  // namespace

class TestValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_cause_is_the_infinity_that_came_first() {
    std::vector<session::NodeRecord> nodes(4);
    nodes[1].name = "loss/Log", nodes[1].op = "Log";
    nodes[2].name = "loss/mul", nodes[2].op = "Mul";
    const FindNode find = [&](GraphId, NodeId id) { return &nodes[id.value]; };
    session::CallValues call;
    call.values = {value(0, 1, 0, 0), value(1, 2, 0, 3), value(2, 3, 3, 0), value(3, 4, 1, 0)};
    call.values[1].places = {{5, "-Inf", "0"}};
    call.values[2].places = {{5, "NaN", "0, -Inf"}};
    call.values[2].input_infinity = true;
    const NumericsStory story = story_of(call);
    QCOMPARE(story.first_nan, &call.values[2]);
    QCOMPARE(story.first_infinity, &call.values[1]);
    QCOMPARE(story.cause(), &call.values[1]);
    QCOMPARE(story.with_nan, size_t{2});
    QCOMPARE(story.spread.size(), size_t{2});
    QCOMPARE(story.spread[0], &call.values[2]);
    QCOMPARE(story_text(find, story),
             std::string("The first NaN comes from loss/mul: Mul(0, -Inf) is NaN, in 3 of 24 elements. Before it, the "
                         "first infinity comes from loss/Log: Log(0) is -Inf, in 3 of 24 elements."));
    // A mask of -Inf that the NaN did not read is not its cause.
    call.values[2].input_infinity = false;
    QCOMPARE(story_of(call).cause(), &call.values[2]);
  }

  void without_a_nan() {
    const FindNode find = [](GraphId, NodeId) -> const session::NodeRecord* { return nullptr; };
    session::CallValues call;
    call.values = {value(0, 1, 0, 0)};
    QCOMPARE(story_text(find, story_of(call)), std::string("All 1 values of the call are finite."));
    call.values.push_back(value(1, 2, 0, 2));
    QVERIFY(story_text(find, story_of(call)).ends_with("No value is NaN."));
    call.values.clear();
    call.error = "it cannot be run again";
    QCOMPARE(story_text(find, story_of(call)), std::string("No values: it cannot be run again."));
  }

  void places_and_elements() {
    session::TensorValue v = value(0, 1, 0, 0);
    QCOMPARE(sizes_of_value(v), (std::vector<int64_t>{2, 3, 4}));
    QCOMPARE(place_text(sizes_of_value(v), 23), std::string("[1, 2, 3]"));
    v.width = 4;
    const float numbers[] = {0.5f, -2.0f};
    v.data.bytes.assign(reinterpret_cast<const char*>(numbers), sizeof numbers);
    QCOMPARE(kept_elements(v), int64_t{2});
    QCOMPARE(kept_element(v, 1), -2.0);
    QVERIFY(std::isnan(kept_element(v, 2)));
    // A recording may hold anything.
    v.shape = "(9999999999, 9999999999)";
    QVERIFY(sizes_of_value(v).empty());
    v.width = 3;
    QCOMPARE(kept_elements(v), int64_t{0});
  }

  void a_library_shows_the_line_that_called_it() {
    Places places;
    session::NodeRecord node;
    node.source = {CodeId(1), 620};
    QCOMPARE(users_line(places, node).line, 620);  // nothing else is known
    session::LocationRecord inner, outer;
    inner.id = session::LocationId(0), inner.caller = session::LocationId(1);
    inner.file = session::FileId(1), inner.line = 620;
    outer.id = session::LocationId(1), outer.file = session::FileId(0), outer.line = 11;
    outer.caller = session::LocationId(0);         // a circle: a recording may hold anything
    places.locations = {inner, outer};
    node.location = session::LocationId(0);
    QCOMPARE(users_line(places, node).line, 11);
    node.source = {CodeId(0), 7};
    QCOMPARE(users_line(places, node).line, 7);    // its own line is the program's
  }

  void what_was_checked_is_said() {
    std::vector<session::CheckedCall> rows(3);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].function = FunctionId(4), rows[i].call = i + 1;
    QVERIFY(checked_text(checked_calls(rows, FunctionId(5))).empty());
    QVERIFY(checked_text(checked_calls(rows, FunctionId(4))).find("all were finite") != std::string::npos);
    rows[1].nan = 2;
    // A call that failed has no row; from a number on, a row stands for a hundred calls.
    std::vector<session::CheckedCall> some = {rows[0], rows[2]};
    QCOMPARE(checked_calls(some, FunctionId(4)).calls, uint64_t{2});
    some.push_back(rows[0]);
    some.back().call = session::CheckedCall::kEachUpTo + 300;
    QCOMPARE(checked_calls(some, FunctionId(4)).calls, uint64_t{302});
    QCOMPARE(searched_calls(some), uint64_t{302});
    const CheckedCalls checked = checked_calls(rows, FunctionId(4));
    QCOMPARE(checked.first_nan, uint64_t{2});
    QVERIFY(checked_text(checked).find("3 calls") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestValues)
#include "test_values.moc"
