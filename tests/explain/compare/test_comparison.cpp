// Whole comparisons of invented repetitions: groups from what passes recorded, timelines of a simulated device, losses.
#include "engine/explain/compare/text.h"
#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace footlight;
using namespace footlight::explain;
using session::Fate;

namespace {

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr const char* kOps[] = {"MatMul", "Mul", "Sin", "Exp", "Relu", "Cast", "Sum"};

// Instruction N of code 1 stands on line 10 + N.
SourceRef at_line(int line) { return {CodeId(1), static_cast<uint32_t>(line - 10)}; }

uint16_t op_number(const std::string& name) {
  return static_cast<uint16_t>(std::ranges::find(kOps, name) - std::begin(kOps));
}

class Invented {
 public:
  Invented() {
    record_.function = FunctionId(1);
    record_.trace = TraceId(1);
    record_.call = 3;
    record_.source = at_line(20);
    record_.stopped = "all pairs were run";
    graph_.id = GraphId(1);
    graph_.name = "step";
  }

  uint32_t node(const std::string& op, int line) {
    const auto id = static_cast<uint32_t>(graph_.nodes.size());
    graph_.nodes.push_back(node_of(id, op + "_" + std::to_string(id), op, {}, at_line(line)));
    return id;
  }
  void change(uint32_t node, Fate fate, const std::string& pass, uint32_t by = 0) {
    record_.changes.push_back({GraphId(1), NodeId(node), pass, fate, NodeId(by)});
  }

  // A repetition; marks follow each other.
  session::ComparisonRun& begin(uint32_t pair, bool traced, bool with_events) {
    session::ComparisonRun run{.pair = pair, .traced = traced, .with_events = with_events};
    run.start_ns = run.end_ns = now_;
    record_.runs.push_back(run);
    return record_.runs.back();
  }
  void doing(Activity activity, int64_t ns) { mark(activity, ns); }
  void eager_op(const std::string& op, int line, int64_t ns, Activity activity = Activity::kKernel) {
    session::ComparisonMark& made = mark(activity, ns);
    made.op = OpId(op_number(op));
    made.source = at_line(line);
  }
  void node_runs(uint32_t node, int64_t ns, Activity activity = Activity::kKernel) {
    session::ComparisonMark& made = mark(activity, ns);
    made.op = OpId(op_number(graph_.nodes[node].op));
    made.graph = GraphId(1);
    made.node = NodeId(node);
  }
  void end() { now_ = record_.runs.back().end_ns + 1000; }
  void total(uint32_t pair, bool traced, int64_t ns) {
    begin(pair, traced, false).end_ns += ns;
    end();
  }
  void device(const std::string& kind, const std::string& name, int64_t from, int64_t to, uint32_t correlation,
              uint32_t stream = 0) {
    const int64_t start = record_.runs.back().start_ns;
    session::DeviceRecord made = device_work(kind, name, start + from, start + to);
    made.correlation = correlation;
    made.stream = stream;
    devices_.push_back(made);
  }
  session::ComparisonRecord& record() { return record_; }
  void set_engine(const char* engine) { engine_ = engine; }

  // Through a file, as the window gets it.
  Comparison comparison(std::string* text = nullptr) {
    QTemporaryDir folder;
    const std::string path = folder.filePath("run.footlight").toStdString();
    auto writer = session::Writer::create(path, {}, RecordingLevel::kOps);
    const session::FileId file = writer->file("/a/train.py", "");
    session::CodeRecord code{CodeId(1), file, "Model.step", 10, {}};
    for (uint32_t i = 0; i < 40; ++i) code.lines.push_back({i, 10 + i});
    writer->add(code);
    writer->add(session::FunctionRecord{FunctionId(1), "Model.step", file, 10, 0, {}});
    writer->add(trace_of(TraceId(1), FunctionId(1), 1, GraphId(1), kStart - 10'000'000, kStart - 4'000'000));
    writer->add(graph_);
    session::ProcessRecord process;
    process.engine = engine_;
    writer->add(process);
    for (const char* op : kOps) writer->add(session::OpNameRecord{OpId(op_number(op)), op, "elementwise"});
    for (const session::DeviceRecord& device : devices_) writer->add(device);
    writer->add(record_);
    writer->finish({kStart + 1'000'000'000, 0, 0, "finished"});
    writer.reset();
    const auto reader = session::Reader::open(path);
    const std::vector<Comparison> all = comparisons_of(*reader);
    if (all.size() != 1) qFatal("there are %zu comparisons", all.size());
    if (text) *text = text_of(*reader, all[0]);
    return all[0];
  }

 private:
  session::ComparisonMark& mark(Activity activity, int64_t ns) {
    session::ComparisonRun& run = record_.runs.back();
    session::ComparisonMark& made = run.marks.emplace_back();
    made.start_ns = run.end_ns;
    made.activity = activity;
    run.end_ns += ns;
    return made;
  }

  std::string engine_;
  session::ComparisonRecord record_;
  session::GraphRecord graph_;
  std::vector<session::DeviceRecord> devices_;
  int64_t now_ = kStart;
};

double share(const Side& side, Share share) { return side.shares[static_cast<size_t>(share)]; }

std::map<std::string, const Row*> by_op(const Comparison& c) {
  std::map<std::string, const Row*> rows;
  for (const Row& row : c.rows) rows[row.eager_ops.empty() ? row.graph_nodes : row.eager_ops] = &row;
  return rows;
}

}  // namespace

class TestComparison : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void groups_come_from_what_passes_did() {
    Invented made;
    const uint32_t product = made.node("MatMul", 11), folded = made.node("Mul", 12), pruned = made.node("Sin", 13),
                   kept = made.node("Exp", 14), joined = made.node("Exp", 15), fused = made.node("Relu", 16),
                   turn = made.node("Mul", 17), moved = made.node("Sum", 18), cast = made.node("Cast", 19);
    made.change(folded, Fate::kConstant, "fold_constants", 20);
    made.change(folded, Fate::kNothing, "prune");
    made.change(pruned, Fate::kNothing, "prune");
    made.change(joined, Fate::kEqualNode, "join", kept);
    made.change(fused, Fate::kFused, "fuse", 21);
    made.change(moved, Fate::kNothing, "hoist");
    for (const bool traced : {false, true}) {
      made.begin(0, traced, true);
      if (!traced) {
        made.eager_op("MatMul", 11, 500);
        for (const auto& [op, line] : {std::pair{"Mul", 12}, {"Sin", 13}, {"Exp", 14}, {"Exp", 15}, {"Relu", 16}})
          made.eager_op(op, line, 10 * line);
        for (int i = 0; i < 40; ++i) {
          made.eager_op("Mul", 17, 3);
          made.eager_op("Sum", 18, 4);
        }
      } else {
        made.eager_op("Sum", 18, 4);          // a node that a pass made before the loop: it has a line, and no graph
        made.node_runs(product, 450);
        made.node_runs(kept, 140);
        for (int i = 0; i < 40; ++i) made.node_runs(turn, 2);
        made.node_runs(cast, 7);
      }
      made.end();
    }
    made.total(1, false, 3000);
    made.total(1, true, 700);
    Comparison c = made.comparison();
    const auto rows = by_op(c);
    QCOMPARE(c.rows.size(), 9u);
    QCOMPARE(rows.at("MatMul")->group, Group::kSame);
    QCOMPARE(rows.at("MatMul")->difference.mean, -50.0);
    QCOMPARE(rows.at("MatMul")->graph_nodes, std::string("MatMul_0"));
    QCOMPARE(rows.at("Mul")->group, Group::kFolded);
    QCOMPARE(rows.at("Mul")->why, std::string("By the pass fold_constants"));
    QCOMPARE(rows.at("Sin")->group, Group::kPruned);
    QCOMPARE(rows.at("Relu")->group, Group::kFused);
    QCOMPARE(rows.at("40 x Mul")->group, Group::kSame);
    QCOMPARE(rows.at("40 x Mul")->eager.mean, 120.0);
    QCOMPARE(rows.at("40 x Mul")->graph_nodes, std::string("Mul_6, 40 runs"));  // one node, in a loop
    QCOMPARE(rows.at("40 x Mul")->traced.mean, 80.0);
    QCOMPARE(rows.at("40 x Sum")->group, Group::kHoisted);
    QCOMPARE(rows.at("Cast_8")->group, Group::kOnlyTraced);
    QCOMPARE(c.rows[3].group, Group::kSame);
    QCOMPARE(c.rows[4].group, Group::kJoined);
    QCOMPARE(c.rows[4].at.line, 15);
    for (size_t i = 0; i + 1 < c.rows.size(); ++i) QVERIFY(c.rows[i].at.line <= c.rows[i + 1].at.line);
    QCOMPARE(c.difference.mean, -2300.0);
    double sum = 0;
    for (const Part& part : c.parts) sum += part.difference.mean;
    QCOMPARE(sum, -2300.0);
    QCOMPARE(c.call, 3u);
    QCOMPARE(c.tracing_ns, 6'000'000);
    QCOMPARE(c.worth_from, std::optional<uint64_t>(2609));  // 6 ms / 2300 ns = 2608.7
    c.trace_calls = 3;
    QVERIFY(worth_of(c).ends_with(": worth it from call 2,609. The program called this trace 3 times."));
  }

  // Nodes that ran in one walk have their own events, each for its share.
  void nodes_fused_with_others() {
    Invented made;
    const uint32_t sine = made.node("Sin", 11), twice = made.node("Mul", 12), product = made.node("MatMul", 13);
    made.change(sine, Fate::kFusedWith, "fuse", twice);
    made.change(twice, Fate::kFusedWith, "fuse", sine);
    for (const bool traced : {false, true}) {
      made.begin(0, traced, true);
      if (!traced) {
        for (const auto& [op, line] : {std::pair{"Sin", 11}, {"Mul", 12}, {"MatMul", 13}}) made.eager_op(op, line, 100);
      } else {
        for (const uint32_t node : {sine, twice, product}) made.node_runs(node, 60);
      }
      made.end();
    }
    made.total(1, false, 300);
    made.total(1, true, 180);
    const auto c = made.comparison();
    const auto rows = by_op(c);
    QCOMPARE(rows.at("Sin")->group, Group::kFused);
    QCOMPARE(rows.at("Mul")->group, Group::kFused);
    QCOMPARE(rows.at("MatMul")->group, Group::kSame);
    QCOMPARE(rows.at("Mul")->traced.mean, 60.0);
  }

  void a_simulated_device_lands_where_it_was_put() {
    Invented made;
    const uint32_t product = made.node("MatMul", 11), next = made.node("Relu", 12);
    made.record().simulated = true;
    made.begin(0, false, true);
    made.doing(Activity::kPython, 30);
    made.doing(Activity::kDispatch, 20);
    made.eager_op("MatMul", 11, 10, Activity::kLaunch);   // 50..60
    made.doing(Activity::kPython, 60);                     // 60..120
    made.eager_op("Relu", 12, 10, Activity::kLaunch);      // 120..130
    made.doing(Activity::kWaiting, 70);                    // 130..200
    made.device("runtime", "cudaLaunchKernel", 51, 59, 1);
    made.device("kernel", "gemm", 70, 100, 1, 7);
    made.device("runtime", "cudaLaunchKernel", 121, 128, 2);
    made.device("kernel", "relu", 140, 160, 2, 8);
    made.device("memcpy", "copy", 150, 180, 3, 7);
    made.end();
    made.begin(0, true, true);
    made.doing(Activity::kDispatch, 10);
    made.node_runs(product, 5, Activity::kLaunch);
    made.node_runs(next, 5, Activity::kLaunch);
    made.doing(Activity::kWaiting, 40);                    // 20..60
    made.device("kernel", "gemm", 20, 45, 4, 7);
    made.end();
    std::string text;
    const Comparison c = made.comparison(&text);
    QVERIFY(c.simulated);
    QVERIFY(text.find("The device is simulated.") != text.npos);
    QCOMPARE(share(c.eager, Share::kDeviceKernel), 50.0);  // 70..100, 140..160
    QCOMPARE(share(c.eager, Share::kDeviceCopy), 20.0);    // 160..180
    QCOMPARE(share(c.eager, Share::kWaiting), 30.0);       // 130..140, 180..200
    QCOMPARE(share(c.eager, Share::kLaunch), 20.0);
    QCOMPARE(share(c.eager, Share::kDispatch), 20.0);
    QCOMPARE(share(c.eager, Share::kPython), 60.0);        // 0..30, 60..70, 100..120
    QCOMPARE(share(c.traced, Share::kDeviceKernel), 25.0);
    QCOMPARE(share(c.traced, Share::kWaiting), 15.0);
    const std::vector<Lane>& lanes = c.eager.picture.lanes;
    QCOMPARE(lanes.size(), 4u);
    QCOMPARE(lanes[1].name, std::string("CUDA API, 2 launches"));
    QCOMPARE(lanes[2].name, std::string("stream 7"));
    QCOMPARE(lanes[2].pieces.size(), 2u);
    QCOMPARE(lanes[2].pieces[0].start, 70);
    QCOMPARE(lanes[2].pieces[0].end, 100);
    QCOMPARE(lanes[2].pieces[0].label, std::string("gemm"));
    QCOMPARE(lanes[2].pieces[0].gap, 70);
    QCOMPARE(lanes[2].pieces[0].gap_share, Share::kPython);  // 40 of the 70
    QCOMPARE(lanes[2].busy.value(), 0.3);
    QCOMPARE(lanes[3].pieces[0].start, 140);
    // The kernel belongs to the row of the op that launched it, and so does the launch.
    QCOMPARE(lanes[2].pieces[0].row, lanes[1].pieces[0].row);
    QCOMPARE(c.rows[static_cast<size_t>(lanes[2].pieces[0].row)].eager_ops, std::string("MatMul"));
    QCOMPARE(c.rows[static_cast<size_t>(lanes[2].pieces[0].row)].eager.mean, 30.0);
  }

  // Marks that took longer than what they mark leave nothing of a launch's interval; its kernel has its op even so.
  void kernels_of_short_launches_have_their_ops() {
    Invented made;
    made.record().mark_ps = 50'000;
    made.begin(0, false, true);
    made.doing(Activity::kDispatch, 20);
    made.eager_op("MatMul", 11, 30, Activity::kLaunch);    // 20..50
    made.doing(Activity::kWaiting, 250);
    made.device("runtime", "cudaLaunchKernel", 25, 45, 1);
    made.device("kernel", "gemm", 70, 100, 1, 7);
    made.end();
    made.begin(0, true, true);
    made.doing(Activity::kDispatch, 100);
    made.end();
    const Comparison c = made.comparison();
    const Lane& stream = c.eager.picture.lanes.back();
    QCOMPARE(stream.name, std::string("stream 7"));
    QVERIFY(stream.pieces[0].row >= 0);
    QCOMPARE(c.rows[static_cast<size_t>(stream.pieces[0].row)].eager_ops, std::string("MatMul"));
  }

  void time_after_lost_marks_is_unexplained() {
    Invented made;
    made.begin(0, false, true).lost = 7;
    made.doing(Activity::kPython, 100);
    made.doing(Activity::kDispatch, 0);
    made.record().runs.back().end_ns += 900;
    made.end();
    made.begin(0, true, true);
    made.doing(Activity::kDispatch, 500);
    made.end();
    const Comparison c = made.comparison();
    QCOMPARE(c.eager.lost, 7u);
    QCOMPARE(share(c.eager, Share::kUnexplained), 900.0);
    QCOMPARE(c.unexplained, 0.9);
    QVERIFY(sentence_of(c).find("90 % of the eager time is unexplained: 900 ns.") != std::string::npos);
  }

  // What the recorder did is cut out of the pictures; work of a device stays as long as it was.
  void pictures_are_without_the_recorder() {
    Invented made;
    made.record().mark_ps = 10'000;
    made.begin(0, false, true);
    made.doing(Activity::kPython, 100);
    made.doing(Activity::kRecording, 40);                  // with its mark: 100..150
    made.doing(Activity::kPython, 60);                     // 140..150 is its mark's
    made.eager_op("MatMul", 11, 30, Activity::kLaunch);    // 200..230, of which 10 are the mark's
    made.doing(Activity::kWaiting, 70);
    made.device("kernel", "gemm", 130, 190, 1, 7);
    made.end();
    made.begin(0, true, true);
    made.doing(Activity::kDispatch, 100);
    made.end();
    made.total(1, false, 230);
    made.total(1, true, 100);
    const Comparison c = made.comparison();
    QCOMPARE(c.eager.recorder, 50.0);                      // 100..130, 200..210, 230..240: the device worked meanwhile
    QCOMPARE(c.eager.picture.total, 230);
    const std::vector<Piece>& host = c.eager.picture.lanes[0].pieces;
    for (const Piece& piece : host) QVERIFY(piece.share != Share::kRecording);
    QCOMPARE(host[0].share, Share::kPython);               // both parts of it: nothing but the recorder was between
    QCOMPARE(host[0].end, 150);
    QCOMPARE(host[1].share, Share::kLaunch);
    QCOMPARE(host[1].end, 170);
    QCOMPARE(host.back().end, 230);
    QCOMPARE(c.eager.picture.lanes[1].pieces[0].start, 100);
    QCOMPARE(c.eager.picture.lanes[1].pieces[0].end, 160);
  }

  // The parts of a fused kernel have no marks of their own, so the recorder's time is taken from its first part alone.
  void parts_of_a_kernel_took_no_marks() {
    Invented made;
    made.record().mark_ps = 10'000;
    made.begin(0, false, true);
    made.doing(Activity::kPython, 100);
    for (const char* op : {"Mul", "Sin", "Exp"}) made.eager_op(op, 11, 30);
    made.doing(Activity::kDispatch, 50);
    made.end();
    made.begin(0, true, true);
    made.doing(Activity::kDispatch, 100);
    made.end();
    const Comparison c = made.comparison();
    QCOMPARE(c.eager.recorder, 20.0);                      // of the kernel's mark and of the one that follows it
    QCOMPARE(share(c.eager, Share::kHostKernel), 80.0);
    QCOMPARE(share(c.eager, Share::kDispatch), 40.0);
  }

  // In a loop a mark took 10 ns; here 15 explain the totals. More than four times as much is not believed.
  void a_mark_takes_what_the_neighbours_say() {
    for (const auto& [plain, recorder, unexplained] : {std::tuple{370, 30.0, 0.0}, std::tuple{300, 80.0, -20.0}}) {
      Invented made;
      made.record().mark_ps = 10'000;
      for (const uint32_t pair : {0u, 4u}) {
        made.begin(pair, false, true);
        made.doing(Activity::kPython, 100);
        made.doing(Activity::kDispatch, 150);
        made.doing(Activity::kConversion, 150);
        made.end();
        made.begin(pair, true, true);
        made.doing(Activity::kDispatch, 100);
        made.end();
        for (uint32_t other = pair + 1; other < pair + 4; ++other) {
          made.total(other, false, plain);
          made.total(other, true, 100);
        }
      }
      const Comparison c = made.comparison();
      QCOMPARE(c.eager.recorder, recorder);
      QCOMPARE(c.eager.unexplained, unexplained);
    }
  }

  // The machine slowed down when no more repetitions were recorded: the totals are those beside the recorded ones.
  void totals_are_those_of_the_neighbours() {
    Invented made;
    for (uint32_t pair = 0; pair < 40; ++pair) {
      if (pair == 1 || pair == 4) {
        for (const bool traced : {false, true}) {
          made.begin(pair, traced, true);
          made.doing(Activity::kDispatch, traced ? 100 : 200);
          made.end();
        }
        continue;
      }
      made.total(pair, false, pair < 8 ? 200 : 900);
      made.total(pair, true, pair < 8 ? 100 : 700);
    }
    const Comparison c = made.comparison();
    QCOMPARE(c.eager.total.mean, 200.0);
    QCOMPARE(c.traced.total.mean, 100.0);
    QCOMPARE(c.unexplained, 0.0);
    // And so are the spreads, and what is known of the difference.
    for (const Spread& spread : {c.eager.total, c.traced.total, c.difference}) {
      QCOMPARE(spread.p5, spread.mean);
      QCOMPARE(spread.p95, spread.mean);
    }
    QCOMPARE(c.difference.mean, -100.0);
    QCOMPARE(c.known_within, 0.0);
  }

  // Pairs in which another program had the processor are far longer; they count only where too few others are left.
  void interrupted_pairs_do_not_count() {
    for (const bool enough : {true, false}) {
      Invented made;
      for (uint32_t pair = 0; pair < 24; ++pair) {
        const bool interrupted = pair % 8 == 0 || (!enough && pair % 8 != 1);
        for (const bool traced : {false, true}) {
          made.begin(pair, traced, pair % 4 == 0).interruptions = interrupted && traced ? 1 : 0;
          made.doing(Activity::kDispatch, (traced ? 100 : 200) * (interrupted ? 50 : 1));
          made.end();
        }
      }
      const Comparison c = made.comparison();
      QCOMPARE(c.interrupted, enough ? 3u : 0u);
      QCOMPARE(c.pairs, enough ? 21u : 24u);
      QCOMPARE(c.eager.total.mean == 200.0, enough);
      const std::string note =
          enough ? "Other programs interrupted 3 pairs, which do not count"
                 : "Other programs interrupted 21 pairs; all pairs count, since too few others are left: the times "
                   "hold what those programs took, and it is unexplained";
      QCOMPARE(c.notes, std::vector<std::string>{note});
    }
  }

  void equal_sides_differ_by_nothing() {
    Invented made;
    for (uint32_t pair = 0; pair < 8; ++pair) {
      made.total(pair, false, 1000 + 10 * (pair % 3));
      made.total(pair, true, 1000 + 10 * ((pair + 1) % 3));
    }
    const Comparison c = made.comparison();
    QVERIFY(sentence_of(c).find("no difference beyond the spread") != std::string::npos);
  }

  // A profiler may miss ops of a compiled call; what ran eagerly was marked op by op.
  void ops_that_a_profiler_missed_are_no_other_work() {
    for (const char* engine : {"", "tensorflow"}) {
      for (const bool traced_varies : {false, true}) {
        Invented made;
        made.set_engine(engine);
        const uint32_t node = made.node("Mul", 20);
        for (uint32_t pair = 0; pair < 24; ++pair) {
          for (const bool traced : {false, true}) {
            made.begin(pair, traced, pair % 2 == 0);
            made.doing(Activity::kPython, 50);
            for (uint32_t op = 0; op < (traced == traced_varies && pair % 4 == 0 ? 3u : 2u); ++op) {
              if (traced) made.node_runs(node, 100);
              else made.eager_op("Mul", 20, 100);
              made.doing(Activity::kDispatch, 20);
            }
            made.end();
          }
        }
        const Comparison c = made.comparison();
        const bool is_profiled = traced_varies && *engine;
        QCOMPARE(c.other_work.find("Repetitions ran 2 to 3 ops each") != std::string::npos, !is_profiled);
        QCOMPARE(std::ranges::any_of(c.notes, [](const std::string& note) {
          return note.starts_with("TensorFlow's profiler saw 2 to 3 ops in ");
        }), is_profiled);
      }
    }
  }

  void failures_are_said() {
    Invented made;
    made.record().error = "eagerly: ValueError: no";
    QCOMPARE(sentence_of(made.comparison()), std::string("The comparison failed eagerly: ValueError: no."));
  }

  void nonsense_in_a_file_is_survived() {
    Invented made;
    made.begin(0, false, true).end_ns -= 500;
    made.doing(static_cast<Activity>(99), 3);
    made.end();
    made.begin(0, true, true);
    made.eager_op("MatMul", 11, 5);
    made.record().runs.back().marks.back().graph = GraphId(77);
    made.record().runs.back().marks.back().node = NodeId(5);
    made.record().runs.back().marks.back().start_ns -= 100'000;
    made.end();
    made.begin(0, true, true);
    made.end();
    made.change(4000, Fate::kNothing, "prune");
    made.comparison();
  }
};

QTEST_APPLESS_MAIN(TestComparison)
#include "test_comparison.moc"
