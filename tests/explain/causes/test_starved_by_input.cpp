// Pipelines that a program waits for.
#include "tests/explain/causes/observed.h"

#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::explain;

namespace {

constexpr SourceRef kMap{CodeId(40), 0}, kBatch{CodeId(40), 10}, kLoop{CodeId(40), 20};

void worked_in_all_waits(PipelineSums& p) {
  for (PipelineStage& stage : p.stages) stage.waits = p.waits, stage.wait_ns = p.wait_ns;
}

// Ten steps of 10 ms, of which the program waited 6.
PipelineSums waiting() {
  PipelineSums p;
  p.source = kLoop;
  p.steps = p.waits = p.calls = 10;
  p.first_ns = 1000;
  p.last_ns = p.first_ns + 100'000'000;
  p.wait_ns = 60'000'000;
  p.stages = {{"batch", kBatch, 100'000}, {"map", kMap, 50'000'000}, {"range", {}, 0}};
  worked_in_all_waits(p);
  return p;
}

std::vector<Finding> found_in(std::vector<PipelineSums> pipelines, int64_t run_ns = 0,
                              const std::string& maps = "data.map(parse)") {
  const std::vector<session::FileRecord> files = {
      {session::FileId(9), "/home/ada/train.py",
       "import footlight as tf\ndata = " + maps + "\ndata = data.batch(8)\nfor x in data:\n"}};
  const std::vector<session::CodeRecord> codes = {
      {CodeId(40), session::FileId(9), "<module>", 1, {{0, 2}, {10, 3}, {20, 4}}}};
  RunRecords records;
  records.files = files;
  records.codes = codes;
  records.pipelines = pipelines;
  records.run_ns = run_ns;
  return find_findings(records).found;
}

}  // namespace

class TestStarvedByInput : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_stage_inside_an_interleave() {
    const auto fixes = [](const std::string& text, size_t interleaved_by) {
      PipelineSums p = waiting();
      p.stages = {{"batch", kBatch, 100'000}, {"interleave", kMap, 0}, {"range", {}, 0},
                  {"from_generator", {}, 50'000'000, interleaved_by, 10, 60'000'000}};
      const auto found = found_in({p}, 0, text);
      if (found.size() != 1) throw std::runtime_error("one finding is expected");
      std::vector<Finding::Edit> edits{found[0].edit};
      for (const Finding::Alternative& a : found[0].alternatives) edits.push_back(a.edit);
      std::erase_if(edits, [](const Finding::Edit& edit) { return !edit.at; });
      return edits;
    };
    const auto edits = fixes("data.interleave(shards, cycle_length=2)", 1);
    QCOMPARE(edits.size(), size_t{1});
    QCOMPARE(edits[0].at.line, 2);
    QVERIFY(edits[0].new_text.ends_with("(shards, cycle_length=2, num_parallel_calls=tf.data.AUTOTUNE)"));
    QVERIFY(fixes("data.interleave(shards, num_parallel_calls=2)", 1).empty());
    QVERIFY(fixes("data.interleave(shards, cycle_length=2)", SIZE_MAX).empty());
  }

  void the_stage_that_worked_meanwhile_is_named() {
    const auto found = found_in({waiting()});
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("starved_by_input"));
    QCOMPARE(found[0].path, std::string("map"));
    QCOMPARE(found[0].line.line, 2);
    QCOMPARE(found[0].related[0].at.line, 4);
    QCOMPARE(found[0].cost_ns, int64_t{60'000'000});
    QVERIFY(found[0].detail.starts_with("10 of 10 steps waited for map at line 2: "));
    QVERIFY(found[0].detail.ends_with(": 60.0 ms in all, 50.0 ms of which map worked"));
    QCOMPARE(std::string(found[0].counted), std::string("elements"));
    QCOMPARE(found[0].edit.old_text, std::string(".map(parse)"));
    QCOMPARE(found[0].edit.new_text, std::string(".map(parse, num_parallel_calls=tf.data.AUTOTUNE)"));
    QCOMPARE(found[0].alternatives.size(), size_t{1});  // prefetch
  }

  void the_slow_one_of_two_maps_in_a_line_is_edited() {
    PipelineSums p = waiting();
    p.stages.insert(p.stages.begin() + 2, {"map", {CodeId(40), 4}, 1'000'000});
    worked_in_all_waits(p);
    const auto edit_of = [&](const std::string& maps) { return found_in({p}, 0, maps)[0].edit; };
    // The first stage is the one that was added last, at the instruction behind.
    std::swap(p.stages[1].source, p.stages[2].source);
    QCOMPARE(edit_of("data.map(parse).map(enrich)").old_text, std::string(".map(enrich)"));
    QCOMPARE(edit_of("data.map(parse, num_parallel_calls=2).map(enrich)").old_text, std::string(".map(enrich)"));
    QVERIFY(!edit_of("data.map(parse).map(enrich, num_parallel_calls=2)").at);
    std::swap(p.stages[1].work_ns, p.stages[2].work_ns);
    QCOMPARE(edit_of("data.map(parse).map(enrich)").old_text, std::string(".map(parse)"));
    QVERIFY(!edit_of("data.map(a).map(b).map(c)").at);  // of three, two were seen
  }

  // The processor was busy, or another thread held Python: no stage is to be blamed.
  void stages_that_did_little_are_not_blamed() {
    PipelineSums p = waiting();
    p.stages[1].work_ns = 28'000'000;
    QVERIFY(found_in({p}).empty());
    p.stages[1].work_ns = 59'000'000;
    QVERIFY(found_in({p})[0].detail.ends_with(": 60.0 ms in all"));
  }

  void other_stages_have_other_fixes() {
    PipelineSums p = waiting();
    p.stages[0].work_ns = 55'000'000;
    QVERIFY(found_in({p})[0].fix.find("prefetch") != std::string::npos);
    p.ahead = true;
    QVERIFY(found_in({p})[0].fix.find("cheaper") != std::string::npos);
    QVERIFY(!found_in({p})[0].edit.at);
  }

  // What prefetch seems to work is the time of the stage above which it stands.
  void stages_that_pass_elements_on_are_not_blamed() {
    PipelineSums p = waiting();
    p.stages = {{"take", {}, 1000}, {"prefetch", kBatch, 40'000'000}, {"map", kMap, 30'000'000}, {"range", {}, 0}};
    worked_in_all_waits(p);
    const auto found = found_in({p});
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("map"));
    QCOMPARE(found[0].line.line, 2);
    QVERIFY(found[0].detail.ends_with(": 60.0 ms in all, 30.0 ms of which map worked"));
    p.stages[2].work_ns = 15'000'000;
    QVERIFY(found_in({p}).empty());
  }

  void elements_ahead_come_first_only_where_they_hide_much() {
    PipelineSums p = waiting();
    p.stages[0].work_ns = 55'000'000;
    QVERIFY(found_in({p})[0].fix.ends_with("hides at most the 40.0 ms that the loop spends on other things"));
    p.last_ns = p.first_ns + 200'000'000;  // as long as it waits
    QVERIFY(found_in({p})[0].fix.ends_with("at the end of the pipeline"));
    p.last_ns = p.first_ns + 70'000'000;
    const auto found = found_in({p});
    QCOMPARE(found[0].fix, std::string("Make batch cheaper"));
    QVERIFY(found[0].alternatives[0].fix.ends_with("at most the 10.0 ms that the loop spends on other things"));
  }

  void what_each_epoch_makes_again_can_be_kept() {
    const auto keeps = [](const std::vector<Finding>& found) {
      size_t all = 0;
      for (const auto& a : found.at(0).alternatives) all += a.fix.find(".cache() behind map") != std::string::npos;
      return all;
    };
    QCOMPARE(keeps(found_in({waiting()})), size_t{0});
    QCOMPARE(keeps(found_in({waiting(), waiting()})), size_t{1});
    PipelineSums other = waiting();
    other.steps = other.waits = 9;
    QCOMPARE(keeps(found_in({waiting(), other})), size_t{0});
    PipelineSums shuffled = waiting();
    shuffled.stages[2].name = "shuffle";
    QCOMPARE(keeps(found_in({shuffled, shuffled})), size_t{0});
    PipelineSums repeated = waiting();
    repeated.stages[0].name = "repeat";
    QCOMPARE(keeps(found_in({repeated})), size_t{1});
  }

  // In later epochs the elements come from a cache, and the program waits for a thread that hands them over.
  void steps_that_waited_for_nothing_that_the_stage_did() {
    PipelineSums p = waiting();
    p.steps = p.waits = p.calls = 40;
    QVERIFY(found_in({p})[0].detail.starts_with("10 of 40 steps waited for map at line 2: 60.0 ms"));
    p.stages[1].waits = 8;
    p.stages[1].wait_ns = 59'000'000;
    QVERIFY(found_in({p})[0].detail.starts_with("8 of 40 steps waited for map at line 2: 59.0 ms in all, 50.0 ms of"));
    QCOMPARE(found_in({p})[0].cost_ns, int64_t{59'000'000});
    p.stages[1].waits = 4;
    QVERIFY(found_in({p}).empty());
  }

  void what_a_cache_keeps_is_not_made_again() {
    const auto keeps = [](const std::vector<std::string>& stages, size_t epochs = 1, size_t up_of_map = 1) {
      PipelineSums p = waiting();
      p.stages.clear();
      for (const std::string& name : stages) {
        p.stages.push_back({name, name == "map" ? kMap : kBatch, name == "map" ? 50'000'000 : 0});
        if (name == "map") p.stages.back().up = up_of_map;
      }
      worked_in_all_waits(p);
      const std::vector<PipelineSums> all(epochs, p);
      return std::ranges::any_of(found_in(all).at(0).alternatives,
                                 [](const auto& a) { return a.fix.find(".cache()") != std::string::npos; });
    };
    QVERIFY(keeps({"batch", "repeat", "map", "range"}));
    QVERIFY(!keeps({"batch", "repeat", "cache", "map", "range"}));
    QVERIFY(!keeps({"batch", "repeat", "filter", "cache", "map", "range"}));
    QVERIFY(!keeps({"batch", "repeat", "filter", "snapshot", "map", "range"}));
    QVERIFY(keeps({"cache", "repeat", "map", "range"}));     // keeps the repeated ones only
    QVERIFY(!keeps({"cache", "batch", "map", "range"}, 2));  // the loop repeats them
    QVERIFY(keeps({"batch", "map", "cache", "range"}, 2));
    QVERIFY(keeps({"zip", "cache", "range", "map", "range"}, 2, 3));  // of the other input
    QVERIFY(keeps({"repeat", "zip", "cache", "map", "range"}, 1, 2));
  }

  // Keras takes the first element of the first epoch at another instruction of its own.
  void iterations_at_one_line_are_of_one_pipeline() {
    std::vector<PipelineSums> epochs(3, waiting());
    epochs[0].source.offset += 2;
    const auto found = found_in(epochs);
    QCOMPARE(found.size(), size_t{1});
    QVERIFY(found[0].detail.starts_with("30 of 30 steps in 3 iterations"));
  }

  void the_epochs_of_a_pipeline_are_one_finding() {
    std::vector<PipelineSums> epochs(8, waiting());
    const auto found = found_in(epochs);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cost_ns, int64_t{480'000'000});
    QCOMPARE(found[0].calls, size_t{80});
    QVERIFY(found[0].detail.starts_with("80 of 80 steps in 8 iterations waited for map at line 2: 480 ms"));
    for (PipelineSums& epoch : epochs) {  // few in each, many in all
      epoch.steps = epoch.waits = epoch.calls = 4;
      worked_in_all_waits(epoch);
    }
    QVERIFY(found_in(epochs)[0].detail.starts_with("32 of 32 steps in 8 iterations waited for map at line 2: 480 ms"));
    epochs.assign(8, waiting());
    epochs[3].source = kBatch;  // another loop over it
    QCOMPARE(found_in(epochs).size(), size_t{2});
    epochs.resize(2);
    epochs[1].wait_ns = 0;  // an epoch that does not starve adds nothing
    QVERIFY(found_in(epochs)[0].detail.starts_with("10 of 10 steps waited for map at line 2: 60.0 ms"));
  }

  void waits_that_are_no_large_part_of_the_run() {
    PipelineSums p = waiting();
    QCOMPARE(found_in({p}, 1'000'000'000).size(), size_t{1});
    QVERIFY(found_in({p}, 2'000'000'000).empty());
    p.wait_ns = 40'000'000;
    worked_in_all_waits(p);
    QVERIFY(found_in({p}).empty());
  }

  void no_model_waits() {
    PipelineSums p = waiting();
    p.calls = 4;
    QVERIFY(found_in({p}).empty());
  }

  void short_waits() {
    PipelineSums p = waiting();
    p.wait_ns = 19'000'000;
    QVERIFY(found_in({p}).empty());
    p = waiting();
    p.waits = 4;
    QVERIFY(found_in({p}).empty());
  }
};

QTEST_APPLESS_MAIN(TestStarvedByInput)
#include "test_starved_by_input.moc"
