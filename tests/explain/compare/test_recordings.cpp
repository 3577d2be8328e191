// Recordings with known times are compared: every moment lands where the generator put it.
#include "tests/explain/compare/recording.h"

#include "engine/base/errors.h"
#include "engine/explain/compare/text.h"

#include <QTest>

#include <map>
#include <random>

using namespace footlight;
using namespace footlight::explain;

namespace {

Comparison compared(const RecordedSide& left, const RecordedSide& right) {
  return compare_recorded(left, right, [] {});
}

void add_up(const Comparison& c) {
  double sum = c.eager.total.mean;
  for (const Part& part : c.parts) sum += part.difference.mean;
  QVERIFY2(std::abs(sum - c.traced.total.mean) < 1, qPrintable(QString::number(sum - c.traced.total.mean)));
  for (const Side* side : {&c.eager, &c.traced}) {
    double shares = 0;
    for (const double share : side->shares) shares += share;
    QVERIFY(std::abs(shares - side->total.mean) < 1);
  }
  double eager = 0, traced = 0;
  for (const Row& row : c.rows) eager += row.eager.mean, traced += row.traced.mean;
  QVERIFY(std::abs(eager - c.eager.shares[static_cast<size_t>(Share::kHostKernel)]) < 1);
  QVERIFY(std::abs(traced - c.traced.shares[static_cast<size_t>(Share::kHostKernel)]) < 1);
}

void has_shares(const Side& side, std::map<Share, int64_t> expected) {
  for (size_t s = 0; s < kShares; ++s)
    QVERIFY2(std::abs(side.shares[s] - static_cast<double>(expected[static_cast<Share>(s)])) < 0.5,
             name_of(static_cast<Share>(s)));
}

std::string failure(const RecordedSide& left, const RecordedSide& right) {
  try {
    compared(left, right);
  } catch (const Error& e) {
    return e.message();
  }
  return "";
}

// A program of `steps` random pieces.
void random_program(Recording& r, uint32_t seed, int steps) {
  std::minstd_rand random(seed);
  const auto some = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(most)); };
  r.graph(1);
  if (seed % 2) r.eager_op(1, 1, 100);
  else r.name_main_thread();
  for (int i = 0; i < steps; ++i) {
    r.python(some(3000));
    const int line = static_cast<int>(some(40));
    switch (random() % 4) {
      case 0: r.eager_op(line % 4, line, some(900)); break;
      case 1: r.eager_op(1, line, some(500), 3); break;
      default:
        r.begin_call(1, 1, i % 50 == 3 ? CallOutcome::kTrace : CallOutcome::kHit);
        r.in_call(some(300));
        if (i % 50 == 3) r.trace(static_cast<uint32_t>(1 + i / 50), some(50'000));
        for (int64_t n = some(9); n > 0; --n) {
          r.node(1, static_cast<int>(some(60)), some(700));
          if (n % 3 == 0) r.in_call(some(100));
        }
        r.in_call(some(300));
        r.end_call();
    }
  }
}

}  // namespace

class TestRecordings : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whole_recordings_are_divided_exactly() {
    for (uint32_t seed = 1; seed <= 8; ++seed) {
      Recording left("before"), right("after");
      random_program(left, seed, 400);
      random_program(right, seed + 100, 300);
      const Comparison c = compared(left.side(), right.side());
      QVERIFY(c.recorded);
      add_up(c);
      has_shares(c.eager, left.spent());
      has_shares(c.traced, right.spent());
      std::map<int, double> lines;
      for (const Row& row : c.rows) lines[row.at ? row.at.line : row.right_at.line] += row.eager.mean;
      for (const auto& [line, ns] : left.lines()) QCOMPARE(std::llround(lines[line]), ns);
      QCOMPARE(c.title, std::string("before against after"));
      QVERIFY(std::ranges::any_of(c.notes, [](const std::string& n) { return n.find("on other threads") != n.npos; }));
    }
  }

  // How many ran on the caller's thread differs from run to run.
  void ops_of_a_call_count_on_all_threads() {
    Recording left("before"), right("after");
    for (Recording* r : {&left, &right}) {
      r->name_main_thread();
      r->graph(1);
      r->begin_call();
      r->in_call(100);
      const int here = r == &left ? 4 : 1;
      for (int i = 0; i < 6; ++i) {
        if (i < here) r->node(1, 10, 60);
        else r->node_elsewhere(1, 10);
      }
      r->in_call(100);
      r->end_call();
    }
    for (const char* what : {"", "Model.step"}) {
      const Comparison c = compared(left.side(what), right.side(what));
      QCOMPARE(c.rows.size(), size_t{1});
      QCOMPARE(c.rows[0].group, Group::kSame);
      QCOMPARE(c.rows[0].eager_count, uint64_t{6});
      QCOMPARE(c.rows[0].traced_count, uint64_t{6});
      QVERIFY(std::ranges::any_of(c.notes, [](const std::string& n) { return n.find("5 ops of calls") == 0; }));
    }
  }

  // More ops than are held at once, with a call that is longer than a window.
  void long_recordings_are_read_in_windows() {
    Recording left("before"), right("after");
    for (Recording* r : {&left, &right}) {
      r->graph(1);
      for (int i = 0; i < 300'000; ++i) r->eager_op(1, 1 + i % 7, 50), r->python(20);
      r->begin_call();
      r->in_call(100);
      for (int i = 0; i < 400'000; ++i) r->node(1, 10 + i % 5, r == &left ? 30 : 10);
      r->in_call(100);
      r->end_call();
      for (int i = 0; i < 100'000; ++i) r->eager_op(2, 1 + i % 7, 50);
    }
    const Comparison c = compared(left.side(), right.side());
    add_up(c);
    has_shares(c.eager, left.spent());
    has_shares(c.traced, right.spent());
    uint64_t ops = 0;
    for (const Row& row : c.rows) ops += row.eager_count;
    QCOMPARE(ops, uint64_t{800'000});
    // Too many to draw: the call is one piece.
    const std::vector<Piece>& pieces = c.eager.picture.lanes.front().pieces;
    QCOMPARE(std::ranges::count(pieces, "Model.step", &Piece::label), 1);
    QVERIFY(c.eager.picture.lanes.front().name.find("calls only") != std::string::npos);
    QVERIFY(pieces.size() < 10);
  }

  void two_calls() {
    Recording r("run");
    r.graph(1);
    for (int call = 1; call <= 5; ++call) {
      if (call == 2 || call == 5) r.forget();
      r.python(500);
      r.begin_call(1, 1, call == 1 ? CallOutcome::kTrace : CallOutcome::kHit);
      r.in_call(100 * call);
      if (call == 1) r.trace(1, 10'000);
      for (int i = 0; i < call; ++i) r.node(1, 7, 1000);
      r.node(1, 8, 300);
      r.end_call();
    }
    const Comparison c = compared(r.side("step:2"), r.side("step:5"));
    add_up(c);
    QCOMPARE(c.eager.total.mean, 200 + 2000 + 300);
    QCOMPARE(c.traced.total.mean, 500 + 5000 + 300);
    has_shares(c.traced, {{Share::kDispatch, 500}, {Share::kHostKernel, 5300}});
    QCOMPARE(c.rows.size(), size_t{2});
    QCOMPARE(c.rows[0].group, Group::kCounts);
    QCOMPARE(c.rows[0].why, std::string("It ran 2 times on the left, 5 times on the right"));
    QCOMPARE(c.rows[1].group, Group::kSame);
    QCOMPARE(c.title, std::string("step: call 2 against call 5"));
    QVERIFY(sentence_of(c).starts_with("call 2 took 2.50 us, call 5 5.80 us: 2.3 times as slow."));
    // The pieces of a row are in both pictures, at their times.
    const Piece& piece = c.traced.picture.lanes.front().pieces[1];
    QCOMPARE(piece.row, 0);
    QCOMPARE(piece.start, int64_t{500});
    // Against the first one: tracing is the reason.
    const Comparison first = compared(r.side("step:1"), r.side("step:2"));
    add_up(first);
    has_shares(first.eager, {{Share::kDispatch, 100}, {Share::kTracing, 10'000}, {Share::kHostKernel, 1300}});
    QVERIFY(sentence_of(first).find("Tracing is the largest reason: 10.0 us of 8.90 us") == std::string::npos);
    QVERIFY(sentence_of(first).find("Tracing is the largest reason: 10.0 us") != std::string::npos);
    QVERIFY(text_of(r.reader(), c).find("step: call 2 against call 5") == 0);
  }

  // One op ran once more and each time much shorter: its count saved nothing.
  void what_counts_explain() {
    Recording r("run");
    r.graph(1);
    for (int call = 1; call <= 3; ++call) {
      r.begin_call(1, 1, call == 1 ? CallOutcome::kTrace : CallOutcome::kHit);
      if (call == 1) r.trace(1, 10'000);
      for (int i = 0; i < call + 2; ++i) r.node(1, 7, call == 2 ? 1000 : 100);
      r.end_call();
    }
    const Comparison c = compared(r.side("step:2"), r.side("step:3"));
    add_up(c);
    QCOMPARE(c.rows[0].why,
             std::string("It ran 4 times on the left, 5 times on the right; one run took 1.00 us on the left, "
                         "100 ns on the right"));
    const auto part = [&](Group group) {
      const auto at = std::ranges::find_if(
          c.parts, [&](const Part& p) { return p.kind == Part::Kind::kGroup && p.group == group; });
      return at == c.parts.end() ? 0.0 : at->difference.mean;
    };
    QCOMPARE(part(Group::kCounts), 1000.0);
    QCOMPARE(part(Group::kSame), -4500.0);
  }

  // Machine code that a call makes, elements that Python waits for, and repetitions that are not the program's.
  void machine_code_input_and_comparisons() {
    Recording r("parts");
    r.graph(1);
    r.trace(1, 5000);
    for (int call = 1; call <= 4; ++call) {
      // One span over two elements, with an op between them: what nothing else has is input, up to what it waited.
      r.takes_elements(700, 1500);
      r.waited(400);
      r.eager_op(1, 5, 300);
      r.waited(300);
      r.python(500);
      r.begin_call();
      r.in_call(100);
      if (call == 3) r.machine_code(2000);
      r.node(1, 7, 1000);
      r.end_call();
      if (call == 2) r.was_compared(100'000);
    }
    const Comparison c = compared(r.side("step:3"), r.side("step:2"));
    add_up(c);
    has_shares(c.eager, {{Share::kDispatch, 100}, {Share::kMachineCode, 2000}, {Share::kHostKernel, 1000}});
    has_shares(c.traced, {{Share::kDispatch, 100}, {Share::kHostKernel, 1000}});
    QVERIFY2(sentence_of(c).find("Machine code is the largest reason: 2.00 us of 2.00 us") != std::string::npos,
             sentence_of(c).c_str());
    Recording other("other");
    other.python(100);
    const Comparison whole = compared(r.side(), other.side());
    add_up(whole);
    has_shares(whole.eager, r.spent());
    QVERIFY(std::ranges::any_of(whole.notes, [](const std::string& note) {
      return note.find("the repetitions that Compare made are not counted") != std::string::npos;
    }));
  }

  void two_traces() {
    Recording r("run");
    r.graph(1);
    r.graph(2);
    std::minstd_rand random(5);
    std::vector<int64_t> totals[2];
    for (int call = 0; call < 60; ++call) {
      const uint32_t trace = 1 + call % 2;
      const bool makes = call < 2;
      r.begin_call(1, trace, makes ? CallOutcome::kTrace : CallOutcome::kHit);
      if (makes) r.trace(trace, 1'000'000);
      const int64_t start = r.now();
      r.in_call(100);
      r.node(trace, 7, 1000 * trace + static_cast<int64_t>(random() % 50));
      if (trace == 2) r.node(trace, 9, 400);
      if (!makes) totals[trace - 1].push_back(r.now() - start);
      r.end_call();
    }
    const Comparison c = compared(r.side("Model.step#1"), r.side("Model.step#2"));
    add_up(c);
    QCOMPARE(c.eager.calls, uint64_t{29});
    for (int side : {0, 1}) {
      std::vector<int64_t>& all = totals[side];
      std::ranges::sort(all);
      double middle = 0;
      for (size_t i = all.size() / 4; i < all.size() - all.size() / 4; ++i) middle += static_cast<double>(all[i]);
      middle /= static_cast<double>(all.size() - all.size() / 4 * 2);
      QVERIFY(std::abs((side ? c.traced : c.eager).total.mean - middle) < 1e-6);
    }
    QVERIFY(c.known_within > 0 && c.known_within < 0.05);
    QCOMPARE(c.rows.size(), size_t{2});
    QCOMPARE(c.rows[0].group, Group::kSame);
    QCOMPARE(c.rows[1].group, Group::kOnlyRight);
    QVERIFY(std::ranges::any_of(
        c.notes, [](const std::string& n) {
      return n == "Making Model.step#1 took 1.00 ms, Model.step#2 took 1.00 ms, which is no part of this";
    }));
  }

  void an_edit_moves_lines() {
    const std::string before = "import tf\nx = 1\ny = sin(x)\nz = mul(y)\nend\n";
    const std::string after = "import tf\n# more\nx = 1\ny = sin(x)\nz = mul(y, 2)\nrelu(z)\nend\n";
    Recording left("before", before, "/a/before.py"), right("after", after, "/b/after.py");
    left.eager_op(2, 3, 500);
    left.eager_op(1, 4, 700);
    right.eager_op(2, 4, 400);
    right.eager_op(1, 5, 600);
    right.eager_op(3, 6, 100);
    const Comparison c = compared(left.side(), right.side());
    add_up(c);
    QCOMPARE(c.rows.size(), size_t{3});
    QCOMPARE(c.rows[0].place, std::string("before.py:3 → after.py:4"));
    QCOMPARE(c.rows[0].group, Group::kSame);
    // A changed line: the op that stands there is the same one.
    QCOMPARE(c.rows[1].eager_ops, std::string("Mul"));
    QCOMPARE(c.rows[1].graph_nodes, std::string("Mul"));
    QVERIFY(c.rows[1].why.find("on an edited line") != std::string::npos);
    QVERIFY(c.rows[1].why.find("another line") == std::string::npos);
    QCOMPARE(c.rows[2].group, Group::kOnlyRight);
    QCOMPARE(c.rows[2].place, std::string("→ after.py:6"));
  }

  // Where only the names of two scripts differ, the place is named once.
  void a_line_of_two_scripts_that_did_not_move() {
    const std::string text = "import tf\nx = 1\ny = sin(x)\n";
    Recording left("before", text, "/a/before.py"), right("after", text, "/b/after.py");
    left.eager_op(2, 3, 500);
    right.eager_op(2, 3, 400);
    QCOMPARE(compared(left.side(), right.side()).rows.at(0).place, std::string("before.py:3"));
  }

  // No factor of 1.0 is said of times that differ: the difference is, in percent of the left time.
  void small_differences_are_percentages() {
    for (const int64_t second : {980, 996, 1004, 1030, 1049, 1051, 1500, 952, 950, 500}) {
      Recording r("run");
      r.graph(1);
      for (const int64_t ns : {int64_t{1000}, second}) {
        r.begin_call(1, 1);
        r.node(1, 7, 1000 * ns);
        r.end_call();
      }
      const std::string said = sentence_of(compared(r.side("step:1"), r.side("step:2")));
      const double change = static_cast<double>(second) / 1000 - 1;
      const std::string way = change < 0 ? "faster." : "slower.";
      QVERIFY2(said.find(" 1.0 times") == said.npos, said.c_str());
      const bool small = change > -0.0475 && change < 0.05;
      QCOMPARE(said.find(" % " + way) != said.npos, small);
      if (small && std::abs(change) > 0.006)
        QVERIFY2(said.find(": " + std::to_string(std::lround(100 * std::abs(change))) + " % " + way) != said.npos,
                 said.c_str());
      else if (small)
        QVERIFY2(said.find(": less than 1 % " + way) != said.npos, said.c_str());
    }
  }

  void two_functions_are_aligned_op_by_op() {
    Recording r("run");
    r.graph(1);
    r.graph(2);
    r.begin_call(1, 1);
    for (const int line : {4, 5, 6}) r.node(1, line, 100);   // MatMul, Mul, Sin
    r.end_call();
    r.begin_call(2, 2);
    for (const int line : {20, 22, 23}) r.node(2, line, 100);  // MatMul, Sin, Relu
    r.end_call();
    const Comparison c = compared(r.side("step:1"), r.side("other:1"));
    std::map<std::string, Group> groups;
    for (const Row& row : c.rows) groups[row.eager_ops + "|" + row.graph_nodes] = row.group;
    QCOMPARE(groups.at("n4|n20"), Group::kSame);
    QCOMPARE(groups.at("n5|"), Group::kOnlyLeft);
    QCOMPARE(groups.at("n6|n22"), Group::kSame);
    QCOMPARE(groups.at("|n23"), Group::kOnlyRight);
    QCOMPARE(c.title, std::string("step call 1 against other call 1"));
  }

  void devices_have_their_own_lanes() {
    Recording r("run");
    r.graph(1);
    for (int call = 0; call < 2; ++call) {
      r.begin_call();
      const auto device = [&](const char* kind, const char* name, int64_t from, int64_t to, uint32_t stream) {
        session::DeviceRecord made;
        made.kind = kind, made.name = name, made.stream = stream;
        made.start_ns = r.now() + from, made.end_ns = r.now() + to;
        made.correlation = static_cast<uint32_t>(call + 1);
        r.add(made);
      };
      device("runtime", "cudaLaunchKernel", 100, 200, 0);
      device("kernel", "sgemm", 250, call ? 450 : 850, 7);
      r.in_call(1000);
      r.end_call();
    }
    const Comparison c = compared(r.side("step:1"), r.side("step:2"));
    add_up(c);
    has_shares(c.eager, {{Share::kDispatch, 300}, {Share::kLaunch, 100}, {Share::kDeviceKernel, 600}});
    has_shares(c.traced, {{Share::kDispatch, 700}, {Share::kLaunch, 100}, {Share::kDeviceKernel, 200}});
    QCOMPARE(c.eager.picture.lanes.size(), size_t{3});
    QCOMPARE(c.eager.picture.lanes[1].name, std::string("CUDA API, 1 launch"));
    QCOMPARE(c.eager.picture.lanes[2].name, std::string("stream 7"));
    QCOMPARE(c.eager.picture.lanes[2].busy.value(), 0.6);
    QCOMPARE(c.eager.picture.lanes[2].pieces[0].gap_share, Share::kDispatch);
  }

  void what_cannot_be_compared_says_so() {
    Recording r("run"), empty("empty");
    r.graph(1);
    r.begin_call();
    r.node(1, 4, 100);
    r.end_call();
    r.drop(12);
    session::TraceRecord unused;
    QVERIFY(failure(r.side(), r.side("step")).find("are not comparable") != std::string::npos);
    QVERIFY(failure(r.side("step"), r.side("step:1")).find("are not comparable") != std::string::npos);
    QVERIFY(failure(r.side("step:1"), r.side("step:2")).find("was called 1 time") != std::string::npos);
    QVERIFY(failure(r.side("step#3"), r.side("step#4")).find("has no trace step#3") != std::string::npos);
    QVERIFY(failure(r.side(), r.side("nobody")).find("has no function 'nobody'; it has ") != std::string::npos);
    QVERIFY(failure(r.side("nobody"), r.side("step")).find("has no function 'nobody'") != std::string::npos);
    QVERIFY(failure(r.side("other"), r.side("step")).find("no call of other") != std::string::npos);
    QVERIFY(failure(r.side(), empty.side()).find("holds nothing") != std::string::npos);
    for (const char* words : {"step#0", "step:", "step:x", "step:-1", ":3", "#1", "step#99999999999999999999"})
      QVERIFY_EXCEPTION_THROWN(recorded_named(words), Error);
    const Comparison c = compared(r.side("step:1"), r.side("Model.step:1"));
    QVERIFY(std::ranges::any_of(c.notes, [](const std::string& n) { return n.starts_with("12 ops"); }));
    QCOMPARE(c.difference.mean, 0.0);
  }

  void it_can_be_ended() {
    Recording r("run");
    random_program(r, 1, 50);
    int asked = 0;
    const GoOn stop = [&] {
      if (++asked > 2) throw Error(ErrorKind::kCancelled, "enough");
    };
    const RecordedSide side = r.side();
    QVERIFY_EXCEPTION_THROWN(compare_recorded(side, r.side(""), stop), Error);
    QCOMPARE(asked, 3);
  }
};

QTEST_MAIN(TestRecordings)
#include "test_recordings.moc"
