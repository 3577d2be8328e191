// Records to rows: the parent's row first, then what is nested in it, in order.
#include "engine/session/record_rows.h"

#include <algorithm>

namespace footlight::session {
namespace {
template <class RowType>
void child(ByteWriter& out, Table table, RowType row) {
  encode_row(out, table, row);
}
void texts(ByteWriter& out, Table table, uint32_t owner, const std::vector<std::string>& list) {
  for (uint32_t i = 0; i < list.size(); ++i) child(out, table, TextRow{owner, i, list[i]});
}
}  // namespace

void encode_meta(ByteWriter& out, std::string_view key, std::string_view text) {
  out.u8(uint8_t(Table::kMeta));
  RowEncoder encoder(out);
  encoder.text(key);
  encoder.text(text);
}

void encode_meta(ByteWriter& out, std::string_view key, int64_t number) {
  out.u8(uint8_t(Table::kMeta));
  RowEncoder encoder(out);
  encoder.text(key);
  encoder.integer(number);
}

void encode(ByteWriter& out, RunRecord& r) {
  encode_meta(out, "script", r.script);
  encode_meta(out, "working_directory", r.working_directory);
  encode_meta(out, "python", r.python);
  encode_meta(out, "engine", r.engine);
  encode_meta(out, "machine", r.machine);
  encode_meta(out, "started_ns", r.started_ns);
  for (uint32_t i = 0; i < r.arguments.size(); ++i) child(out, Table::kRunArgument, RunArgumentRow{i, r.arguments[i]});
}

void encode(ByteWriter& out, EndRecord& r) { encode_row(out, Table::kRunEnd, r); }
void encode(ByteWriter& out, DroppedRecord& r) { encode_row(out, Table::kDropped, r); }
void encode(ByteWriter& out, FileRecord& r) { encode_row(out, Table::kFile, r); }
void encode(ByteWriter& out, DecisionRecord& r) { encode_row(out, Table::kDecision, r); }
void encode(ByteWriter& out, ConsoleRecord& r) { encode_row(out, Table::kConsole, r); }
void encode(ByteWriter& out, OpNameRecord& r) { encode_row(out, Table::kOp, r); }
void encode(ByteWriter& out, SignatureRecord& r) { encode_row(out, Table::kSignature, r); }
void encode(ByteWriter& out, ThreadRecord& r) { encode_row(out, Table::kThread, r); }
void encode(ByteWriter& out, DeviceNameRecord& r) { encode_row(out, Table::kDevice, r); }

void encode(ByteWriter& out, CodeRecord& r) {
  encode_row(out, Table::kCode, r);
  for (uint32_t i = 0; i < r.lines.size(); ++i)
    child(out, Table::kCodeLine, CodeLineRow{r.id.value, i, r.lines[i].first, r.lines[i].second});
}

void encode(ByteWriter& out, FunctionRecord& r) {
  encode_row(out, Table::kFunction, r);
  texts(out, Table::kFunctionParameter, r.id.value, r.parameters);
}

void encode(ByteWriter& out, TraceRecord& r) {
  encode_row(out, Table::kTrace, r);
  for (uint32_t i = 0; i < r.key.size(); ++i) child(out, Table::kKeyLeaf, KeyLeafRow{r.id.value, i, r.key[i]});
  texts(out, Table::kTraceDiffering, r.id.value, r.differing);
  texts(out, Table::kTraceCapture, r.id.value, r.captures);
}

void encode(ByteWriter& out, GraphRecord& r) {
  const uint32_t graph = r.id.value;
  encode_row(out, Table::kGraph, r);
  for (uint32_t n = 0; n < r.nodes.size(); ++n) {
    NodeRow row{graph, n, std::move(r.nodes[n])};
    encode_row(out, Table::kNode, row);
    const NodeRecord& node = row.node;
    for (uint32_t i = 0; i < node.inputs.size(); ++i)
      child(out, Table::kNodeInput, NodeInputRow{graph, n, i, node.inputs[i]});
    for (uint32_t i = 0; i < node.control_inputs.size(); ++i)
      child(out, Table::kNodeControlInput, NodeNumberRow{graph, n, i, node.control_inputs[i]});
    for (uint32_t i = 0; i < node.outputs.size(); ++i)
      child(out, Table::kNodeOutput, NodeTextRow{graph, n, i, node.outputs[i]});
    for (uint32_t i = 0; i < node.functions.size(); ++i)
      child(out, Table::kNodeFunction, NodeFunctionRow{graph, n, i, node.functions[i].first, node.functions[i].second});
    r.nodes[n] = std::move(row.node);
  }
  for (uint32_t i = 0; i < r.inputs.size(); ++i) child(out, Table::kGraphInput, NumberRow{graph, i, r.inputs[i]});
  for (uint32_t i = 0; i < r.outputs.size(); ++i) child(out, Table::kGraphOutput, EdgeRow{graph, i, r.outputs[i]});
}

void encode(ByteWriter& out, GeneratedRecord& r, uint32_t number) {
  child(out, Table::kGenerated, GeneratedRow{number, r.function, r.code, r.name, r.file, r.text});
  for (uint32_t i = 0; i < r.line_map.size(); ++i)
    child(out, Table::kGeneratedLine, NumberRow{number, i, static_cast<uint32_t>(std::max(0, r.line_map[i]))});
  for (uint32_t i = 0; i < r.statements.size(); ++i)
    child(out, Table::kGeneratedStatement, StatementRow{number, i, r.statements[i]});
}

}  // namespace footlight::session
