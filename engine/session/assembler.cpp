// Rows back into records. Rows come in any order that has an owner before what it owns.
#include "engine/session/record_rows.h"

namespace footlight::session {

template <class Record>
void Assembler::put(std::vector<Record>& records, Positions& positions, uint32_t id, Record record) {
  const auto [it, added] = positions.try_emplace(id, static_cast<uint32_t>(records.size()));
  if (added) {
    records.push_back(std::move(record));
  } else {
    records[it->second] = std::move(record);
  }
}

template <class Record>
Record* Assembler::owner(std::vector<Record>& records, const Positions& positions, uint32_t id) {
  const auto it = positions.find(id);
  return it == positions.end() ? nullptr : &records[it->second];
}

NodeRecord* Assembler::node(uint32_t graph, uint32_t position) {
  GraphRecord* g = owner(contents_.graphs, graphs_, graph);
  return g && position < g->nodes.size() ? &g->nodes[position] : nullptr;
}

size_t Assembler::find(Table table, uint32_t id) const {
  const Positions* positions = nullptr;
  switch (table) {
    case Table::kFile: positions = &files_; break;
    case Table::kCode: positions = &codes_; break;
    case Table::kFunction: positions = &functions_; break;
    case Table::kTrace: positions = &traces_; break;
    case Table::kGraph: positions = &graphs_; break;
    case Table::kOp: positions = &ops_; break;
    case Table::kSignature: positions = &signatures_; break;
    default: return npos;
  }
  const auto it = positions->find(id);
  return it == positions->end() ? npos : it->second;
}

void Assembler::meta(Row row) {
  if (row.size() < 2) throw_broken("a row has too few columns");
  const std::string_view key = row[0].bytes;
  RunRecord& run = contents_.run;
  const auto text = [&] { return std::string(row[1].bytes); };
  if (key == "script") run.script = text();
  if (key == "script") run.arguments.clear();  // a run record written again: its arguments follow
  if (key == "working_directory") run.working_directory = text();
  if (key == "python") run.python = text();
  if (key == "engine") run.engine = text();
  if (key == "machine") run.machine = text();
  if (key == "started_ns") run.started_ns = row[1].integer;
  if (key == "level") {
    if (row[1].integer < 0 || row[1].integer > int64_t(RecordingLevel::kOps)) throw_broken("no such recording level");
    contents_.level = RecordingLevel(row[1].integer);
  }
}

void Assembler::add(Table table, Row row) {
  Contents& c = contents_;
  switch (table) {
    case Table::kMeta: meta(row); break;
    case Table::kRunArgument: c.run.arguments.push_back(decode_row<RunArgumentRow>(row).value); break;
    case Table::kRunEnd: c.end = decode_row<EndRecord>(row); break;
    case Table::kDropped: {
      auto r = decode_row<DroppedRecord>(row);
      for (DroppedRecord& known : c.dropped) {
        if (known.what == r.what && known.why == r.why) {
          known.count += r.count;
          return;
        }
      }
      c.dropped.push_back(std::move(r));
      break;
    }
    case Table::kFile: {
      auto r = decode_row<FileRecord>(row);
      put(c.files, files_, r.id.value, std::move(r));
      break;
    }
    case Table::kCode: {
      auto r = decode_row<CodeRecord>(row);
      put(c.codes, codes_, r.id.value, std::move(r));
      break;
    }
    case Table::kCodeLine: {
      const auto r = decode_row<CodeLineRow>(row);
      if (auto* code = owner(c.codes, codes_, r.owner)) code->lines.emplace_back(r.offset, r.line);
      break;
    }
    case Table::kFunction: {
      auto r = decode_row<FunctionRecord>(row);
      put(c.functions, functions_, r.id.value, std::move(r));
      break;
    }
    case Table::kFunctionParameter: {
      auto r = decode_row<TextRow>(row);
      if (auto* f = owner(c.functions, functions_, r.owner)) f->parameters.push_back(std::move(r.text));
      break;
    }
    case Table::kTrace: {
      auto r = decode_row<TraceRecord>(row);
      put(c.traces, traces_, r.id.value, std::move(r));
      break;
    }
    case Table::kKeyLeaf: {
      auto r = decode_row<KeyLeafRow>(row);
      if (auto* t = owner(c.traces, traces_, r.owner)) t->key.push_back(std::move(r.leaf));
      break;
    }
    case Table::kTraceDiffering: {
      auto r = decode_row<TextRow>(row);
      if (auto* t = owner(c.traces, traces_, r.owner)) t->differing.push_back(std::move(r.text));
      break;
    }
    case Table::kTraceCapture: {
      auto r = decode_row<TextRow>(row);
      if (auto* t = owner(c.traces, traces_, r.owner)) t->captures.push_back(std::move(r.text));
      break;
    }
    case Table::kGraph: {
      auto r = decode_row<GraphRecord>(row);
      put(c.graphs, graphs_, r.id.value, std::move(r));
      break;
    }
    case Table::kNode: {
      auto r = decode_row<NodeRow>(row);
      GraphRecord* g = owner(c.graphs, graphs_, r.owner);
      if (g && r.position == g->nodes.size()) g->nodes.push_back(std::move(r.node));
      break;
    }
    case Table::kNodeInput: {
      const auto r = decode_row<NodeInputRow>(row);
      if (auto* n = node(r.owner, r.node)) n->inputs.push_back(r.edge);
      break;
    }
    case Table::kNodeControlInput: {
      const auto r = decode_row<NodeNumberRow>(row);
      if (auto* n = node(r.owner, r.node)) n->control_inputs.push_back(r.number);
      break;
    }
    case Table::kNodeOutput: {
      auto r = decode_row<NodeTextRow>(row);
      if (auto* n = node(r.owner, r.node)) n->outputs.push_back(std::move(r.text));
      break;
    }
    case Table::kNodeFunction: {
      auto r = decode_row<NodeFunctionRow>(row);
      if (auto* n = node(r.owner, r.node)) n->functions.emplace_back(std::move(r.attribute), r.graph);
      break;
    }
    case Table::kGraphInput: {
      const auto r = decode_row<NumberRow>(row);
      if (auto* g = owner(c.graphs, graphs_, r.owner)) g->inputs.push_back(r.number);
      break;
    }
    case Table::kGraphOutput: {
      const auto r = decode_row<EdgeRow>(row);
      if (auto* g = owner(c.graphs, graphs_, r.owner)) g->outputs.push_back(r.edge);
      break;
    }
    case Table::kGenerated: {
      auto r = decode_row<GeneratedRow>(row);
      put(c.generated, generated_, r.id,
          GeneratedRecord{r.function, r.code, std::move(r.name), r.file, std::move(r.text), {}, {}});
      break;
    }
    case Table::kGeneratedLine: {
      const auto r = decode_row<NumberRow>(row);
      if (auto* g = owner(c.generated, generated_, r.owner))
        g->line_map.push_back(static_cast<int>(r.number & 0x7fffffffu));
      break;
    }
    case Table::kGeneratedStatement: {
      auto r = decode_row<StatementRow>(row);
      if (auto* g = owner(c.generated, generated_, r.owner)) g->statements.push_back(std::move(r.statement));
      break;
    }
    case Table::kDecision: c.decisions.push_back(decode_row<DecisionRecord>(row)); break;
    case Table::kConsole: c.console.push_back(decode_row<ConsoleRecord>(row)); break;
    case Table::kOp: {
      auto r = decode_row<OpNameRecord>(row);
      put(c.op_names, ops_, r.id.value, std::move(r));
      break;
    }
    case Table::kSignature: {
      auto r = decode_row<SignatureRecord>(row);
      put(c.signatures, signatures_, r.id.value, std::move(r));
      break;
    }
    case Table::kThread: {
      auto r = decode_row<ThreadRecord>(row);
      put(c.threads, threads_, r.number, std::move(r));
      break;
    }
    case Table::kDevice: {
      auto r = decode_row<DeviceNameRecord>(row);
      put(c.device_names, devices_, r.number, std::move(r));
      break;
    }
    case Table::kOpChunk:
    case Table::kCallChunk:
    case Table::kDeviceChunk:
    case Table::kNone:
    case Table::kCount: break;  // not records
  }
}

}  // namespace footlight::session
