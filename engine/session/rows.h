// The one description of how records become rows: the columns of every table, in both directions. The log holds rows
// as bytes, the finished file as SQLite rows; both are read through this.
#pragma once

#include "engine/session/bytes.h"
#include "engine/session/records.h"

#include <span>
#include <string_view>
#include <type_traits>

namespace footlight::session {

// Numbers are part of the log's format: append only.
enum class Table : uint8_t {
  kNone,
  kMeta,
  kRunArgument,
  kRunEnd,
  kDropped,
  kFile,
  kCode,
  kCodeLine,
  kFunction,
  kFunctionParameter,
  kTrace,
  kKeyLeaf,
  kTraceDiffering,
  kTraceCapture,
  kGraph,
  kNode,
  kNodeInput,
  kNodeControlInput,
  kNodeOutput,
  kNodeFunction,
  kGraphInput,
  kGraphOutput,
  kGenerated,
  kGeneratedLine,
  kGeneratedStatement,
  kDecision,
  kConsole,
  kOp,
  kThread,
  kDevice,
  kOpChunk,
  kCallChunk,
  kDeviceChunk,
  kSignature,
  kCount
};
struct TableInfo {
  const char* name;
  const char* columns;  // as schema.sql has them, comma-separated
  Table parent;         // a row of it that comes again takes these along
  uint32_t since = 1;   // the schema's version that brought it
};
const TableInfo& table_info(Table);

struct Value {
  enum class Type : uint8_t { kNull, kInteger, kText, kBlob };
  Type type = Type::kNull;
  int64_t integer = 0;
  std::string_view bytes;
};
using Row = std::span<const Value>;
constexpr size_t kMaxColumns = 20;

// --- Rows of their own for what is nested in a record -------------------------------------------------------------
struct RunArgumentRow { uint32_t position = 0; std::string value; };
struct TextRow { uint32_t owner = 0, position = 0; std::string text; };
struct CodeLineRow { uint32_t owner = 0, position = 0, offset = 0, line = 0; };
struct KeyLeafRow { uint32_t owner = 0, position = 0; KeyLeaf leaf; };
struct NodeRow { uint32_t owner = 0, position = 0; NodeRecord node; };
struct NodeInputRow { uint32_t owner = 0, node = 0, position = 0; EdgeRecord edge; };
struct NodeNumberRow { uint32_t owner = 0, node = 0, position = 0, number = 0; };
struct NodeTextRow { uint32_t owner = 0, node = 0, position = 0; std::string text; };
struct NodeFunctionRow { uint32_t owner = 0, node = 0, position = 0; std::string attribute; GraphId graph; };
struct NumberRow { uint32_t owner = 0, position = 0, number = 0; };
struct EdgeRow { uint32_t owner = 0, position = 0; EdgeRecord edge; };
struct GeneratedRow {
  uint32_t id = 0;
  FunctionId function;
  CodeId code;
  std::string name;
  FileId file;
  std::string text;
};
struct StatementRow { uint32_t owner = 0, position = 0; GeneratedRecord::Statement statement; };
struct ChunkRow { int64_t first_ns = 0, last_ns = 0; uint32_t count = 0; std::string_view data; };

// --- Columns, in the order of schema.sql --------------------------------------------------------------------------
template <class A> void columns(A& a, RunArgumentRow& r) { a(r.position, r.value); }
template <class A> void columns(A& a, EndRecord& r) { a(r.time_ns, r.exit_code, r.signal, r.reason); }
template <class A> void columns(A& a, DroppedRecord& r) { a(r.what, r.why, r.count); }
template <class A> void columns(A& a, FileRecord& r) { a(r.id, r.path, r.text); }
template <class A> void columns(A& a, CodeRecord& r) { a(r.id, r.file, r.qualname, r.first_line); }
template <class A> void columns(A& a, CodeLineRow& r) { a(r.owner, r.position, r.offset, r.line); }
template <class A> void columns(A& a, FunctionRecord& r) { a(r.id, r.name, r.file, r.line, r.decorator_line); }
template <class A> void columns(A& a, TextRow& r) { a(r.owner, r.position, r.text); }
template <class A> void columns(A& a, TraceRecord& r) {
  a(r.id, r.function, r.graph, r.number, r.reason, r.start_ns, r.end_ns, r.python_ns, r.autograph_ns, r.optimize_ns,
    r.compile_ns, r.signature, r.nearest, r.why, r.source, r.error);
}
template <class A> void columns(A& a, KeyLeafRow& r) {
  a(r.owner, r.position, r.leaf.path, r.leaf.parameter, r.leaf.kind, r.leaf.type, r.leaf.shape, r.leaf.value);
}
template <class A> void columns(A& a, GraphRecord& r) { a(r.id, r.name); }
template <class A> void columns(A& a, NodeRow& r) {
  NodeRecord& n = r.node;
  a(r.owner, r.position, n.id, n.name, n.op, n.family, n.attributes, n.constant, n.source);
}
template <class A> void columns(A& a, NodeInputRow& r) { a(r.owner, r.node, r.position, r.edge.from, r.edge.output); }
template <class A> void columns(A& a, NodeNumberRow& r) { a(r.owner, r.node, r.position, r.number); }
template <class A> void columns(A& a, NodeTextRow& r) { a(r.owner, r.node, r.position, r.text); }
template <class A> void columns(A& a, NodeFunctionRow& r) { a(r.owner, r.node, r.position, r.attribute, r.graph); }
template <class A> void columns(A& a, NumberRow& r) { a(r.owner, r.position, r.number); }
template <class A> void columns(A& a, EdgeRow& r) { a(r.owner, r.position, r.edge.from, r.edge.output); }
template <class A> void columns(A& a, GeneratedRow& r) { a(r.id, r.function, r.code, r.name, r.file, r.text); }
template <class A> void columns(A& a, StatementRow& r) {
  auto& s = r.statement;
  a(r.owner, r.position, s.line, s.last_line, s.kind, s.fate, s.note);
}
template <class A> void columns(A& a, DecisionRecord& r) { a(r.trace, r.file, r.line, r.kind, r.fate, r.note); }
template <class A> void columns(A& a, ConsoleRecord& r) { a(r.time_ns, r.stream, r.text); }
template <class A> void columns(A& a, OpNameRecord& r) { a(r.id, r.name, r.family); }
template <class A> void columns(A& a, SignatureRecord& r) {
  a(r.id, r.op, r.inputs, r.outputs, r.input_bytes, r.output_bytes, r.flops);
}
template <class A> void columns(A& a, ThreadRecord& r) { a(r.number, r.system_id, r.name); }
template <class A> void columns(A& a, DeviceNameRecord& r) { a(r.number, r.name, r.description); }

// --- Out: a row as bytes of the log -------------------------------------------------------------------------------
class RowEncoder {
 public:
  explicit RowEncoder(ByteWriter& out) : out_(out) {}
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  void null() { out_.u8(uint8_t(Value::Type::kNull)); }
  void integer(int64_t v) {
    out_.u8(uint8_t(Value::Type::kInteger));
    out_.varint(zigzag(v));
  }
  void text(std::string_view s) {
    out_.u8(uint8_t(Value::Type::kText));
    out_.text(s);
  }
  void blob(std::string_view s) {
    out_.u8(uint8_t(Value::Type::kBlob));
    out_.text(s);
  }

 private:
  void put(const std::string& s) { text(s); }
  void put(SourceRef s) {
    put(s.code);
    integer(s.offset);
  }
  template <class Tag, class Int>
  void put(Id<Tag, Int> id) {
    if (id.valid()) {
      integer(static_cast<int64_t>(id.value));
    } else {
      null();
    }
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void put(T v) {
    integer(static_cast<int64_t>(v));
  }
  ByteWriter& out_;
};

template <class Record>
void encode_row(ByteWriter& out, Table table, Record& record) {
  out.u8(uint8_t(table));
  RowEncoder encoder(out);
  columns(encoder, record);
}

// --- In: values, from either form, checked ------------------------------------------------------------------------
class RowDecoder {
 public:
  explicit RowDecoder(Row row) : row_(row) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  const Value& next() {
    if (at_ == row_.size()) throw_broken("a row has too few columns");
    return row_[at_++];
  }
  void get(std::string& s) {
    const Value& v = next();
    if (v.type == Value::Type::kInteger) throw_broken("a number where a text should be");
    s.assign(v.bytes);  // NULL and foreign blobs read as text
  }
  void get(SourceRef& s) {
    get(s.code);
    get(s.offset);
  }
  template <class Tag, class Int>
  void get(Id<Tag, Int>& id) {
    if (row_.size() > at_ && row_[at_].type == Value::Type::kNull) {
      ++at_;
      id = {};
    } else {
      get(id.value);
    }
  }
  template <class T>
    requires(std::is_integral_v<T>)
  void get(T& v) {
    const Value& value = next();
    if (value.type == Value::Type::kNull) {
      v = 0;
      return;
    }
    if (value.type != Value::Type::kInteger) throw_broken("a text where a number should be");
    v = static_cast<T>(value.integer);
    if (static_cast<int64_t>(v) != value.integer) throw_broken("a number is out of range");
  }
  void get(TraceReason& v) { enumerator(v, TraceReason::kRelaxed); }
  void get(ConsoleStream& v) { enumerator(v, ConsoleStream::kNote); }
  template <class E>
  void enumerator(E& v, E last) {
    uint8_t number = 0;
    get(number);
    if (number > uint8_t(last)) throw_broken("a number stands for nothing known");
    v = E(number);
  }
  Row row_;
  size_t at_ = 0;
};

template <class Record>
Record decode_row(Row row) {
  Record record;
  RowDecoder decoder(row);
  columns(decoder, record);
  return record;
}

// Reads the next row of a log frame into `values`; returns how many. Their bytes point into the frame.
Table read_row(ByteReader& in, Value (&values)[kMaxColumns], size_t& count);

}  // namespace footlight::session
