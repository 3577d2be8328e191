// What rows declare: names as in TensorFlow's op definitions (tensorflow_ops.txt), effects, and which outputs
// may share the memory of an input.
#include "engine/eager/execute.h"
#include "tests/ops/values.h"

#include <QTest>

#include <cstring>
#include <fstream>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::testing;

namespace {

// "x: T", "values: N*T", "input: Tin[]", "axis: int32"
std::string text_of(const OpRow& row, std::span<const ArgSpec> args) {
  const auto attr = [&](int8_t index) { return std::string(row.attrs[static_cast<size_t>(index)].name); };
  std::string out;
  for (const ArgSpec& arg : args) {
    out += std::string(out.empty() ? "" : ", ") + arg.name + ": ";
    if (arg.count_attr >= 0) out += attr(arg.count_attr) + '*';
    out += arg.type_attr >= 0 ? attr(arg.type_attr) : name_of(arg.dtype);
    if (arg.list && arg.count_attr < 0) out += "[]";
  }
  return out;
}

std::string attrs_of(const OpRow& row) {
  std::set<std::string> names;
  for (const AttrSpec& attr : row.attrs) names.insert(attr.name);
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

}  // namespace

class TestRows : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { eager::init(); }

  void names_are_those_of_tensorflow() {
    std::map<std::string, std::string> lines;
    std::ifstream file(OPS_TESTS "/tensorflow_ops.txt");
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') lines.emplace(line.substr(0, line.find(' ')), line);
    QVERIFY(lines.size() > 300);
    int wrong = 0;
    for (const OpRow* row : all_rows()) {
      const auto at = lines.find(row->name);
      const std::string own = std::string(row->name) + " | " + text_of(*row, row->inputs) + " -> " +
                              text_of(*row, row->output_specs) + " | " + attrs_of(*row) + " | " +
                              (row->stateful() ? "stateful" : "pure");
      if (at == lines.end()) {
        ++wrong;
        qWarning("no line for: %s", own.c_str());
        continue;
      }
      const std::string said = at->second;
      lines.erase(at);
      if (said == std::string(row->name) + " | not in TensorFlow") continue;
      // A row listed as different has to differ; its outputs are found by name all the same.
      const std::string signature = said.substr(0, said.find(" | differs: "));
      const std::string outputs = " -> " + text_of(*row, row->output_specs) + " | ";
      if (signature == said ? said == own : signature != own && said.find(outputs) != std::string::npos) continue;
      ++wrong;
      qWarning("TensorFlow: %s\n    the row:  %s", said.c_str(), own.c_str());
    }
    for (const auto& [name, line] : lines) qWarning("no row for: %s", line.c_str());
    QCOMPARE(wrong + static_cast<int>(lines.size()), 0);
  }

  void outputs_are_numbered_within_their_lists() {
    const auto name = [](const char* op, size_t outputs, size_t k) {
      const OutputName found = output_name(*find_row(op), outputs, k);
      return std::string(found.name) + ':' + std::to_string(found.index);
    };
    QCOMPARE(name("MatMul", 1, 0), std::string("product:0"));
    QCOMPARE(name("Qr", 2, 1), std::string("r:0"));
    QCOMPARE(name("Split", 3, 2), std::string("output:2"));
    QCOMPARE(name("StatelessWhile", 4, 3), std::string("output:3"));
    QCOMPARE(name("TensorListPopBack", 2, 1), std::string("tensor:0"));
  }

  void effects_name_what_they_act_on() {
    for (const OpRow* row : all_rows()) {
      const bool has_resource = std::ranges::any_of(
          row->inputs, [](const ArgSpec& input) { return input.dtype == DType::kResource; });
      if (row->effect == Effect::kWrites) QVERIFY2(has_resource, row->name);
      // An op that takes a resource of fixed type reads or writes it.
      if (has_resource) QVERIFY2(row->effect == Effect::kReads || row->effect == Effect::kWrites, row->name);
    }
  }

  // If a kernel returns an output in the memory of an input, the row has to say so. Small values and
  // parts are copied, so some cases are larger than those in the files.
  void memory_is_shared_where_rows_say() {
    std::set<std::string> unsaid, shares;
    std::vector<Case> cases = read_cases(OPS_TESTS "/cases");
    const Tensor x = Tensor::empty(DType::kFloat32, Shape{4, 65536});
    std::memset(x.raw(), 0, x.bytes());
    const auto add = [&](const char* op, std::vector<Tensor> inputs, const Attrs& attrs = {}) {
      Case c;
      c.op = op;
      c.inputs = std::move(inputs);
      c.attrs = attrs;
      cases.push_back(c);
    };
    const std::vector<int32_t> same{4, 65536}, halves{2, 2};
    add("Identity", {x});
    add("Reshape", {x, Tensor::vector<int32_t>(std::vector<int32_t>{65536, 4})});
    add("Cast", {x}, {{AttrName("DstT"), DType::kFloat32}});
    add("BroadcastTo", {x, Tensor::vector<int32_t>(same)});
    add("CheckNumerics", {x}, {{AttrName("message"), std::string("m")}});
    add("IdentityN", {x});
    add("Split", {Tensor::scalar<int32_t>(0), x}, {{AttrName("num_split"), int64_t{2}}});
    add("SplitV", {x, Tensor::vector<int32_t>(halves), Tensor::scalar<int32_t>(0)},
        {{AttrName("num_split"), int64_t{2}}});
    add("Unpack", {x}, {{AttrName("num"), int64_t{4}}});
    for (const Case& c : cases) {
      if (!c.error_kind.empty()) continue;
      const OpRow& row = *find_row(c.op);
      const std::vector<Tensor> outputs = eager::execute(row, c.inputs, c.attrs);
      for (const Tensor& out : outputs)
        for (size_t i = 0; i < c.inputs.size(); ++i) {
          const Tensor& in = c.inputs[i];
          if (!is_plain(in.dtype()) || !is_plain(out.dtype()) || !in.bytes() || !out.bytes()) continue;
          const auto* const memory = static_cast<const std::byte*>(in.raw());
          const bool shared = out.raw() >= memory && out.raw() < memory + in.bytes();
          if (shared) shares.insert(c.op);
          const bool said = row.alias == Alias::kSame || row.alias == Alias::kView || row.alias == Alias::kShares;
          if (shared && (!said || static_cast<size_t>(row.alias_input) != i))
            unsaid.insert(c.op + " shares the memory of input " + std::to_string(i));
        }
    }
    for (const std::string& line : unsaid) qWarning("%s", line.c_str());
    QVERIFY(unsaid.empty());
    for (const char* op : {"Identity", "Reshape", "Cast", "BroadcastTo", "CheckNumerics", "Split", "SplitV", "Unpack"})
      QVERIFY2(shares.contains(op), op);  // else this would test nothing
  }

  void every_row_has_a_cost_and_a_place() {
    for (const OpRow* row : all_rows()) {
      QVERIFY2(row->flops, row->name);
      if (row->alias != Alias::kNone && !row->inputs.empty())
        QVERIFY2(static_cast<size_t>(row->alias_input) < row->inputs.size(), row->name);
      for (size_t d = 1; row->host_only && d < kDTypeCount; ++d)
        QVERIFY2(!kernel_for(DeviceType::kGpu, row->id, static_cast<DType>(d)), row->name);
    }
  }
};

QTEST_GUILESS_MAIN(TestRows)
#include "test_rows.moc"
