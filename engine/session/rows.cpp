// The tables by name, and reading one row of a log frame.
#include "engine/session/rows.h"

#include <array>

namespace footlight::session {
namespace {
constexpr TableInfo kTables[] = {
    {"", "", Table::kNone},
    {"meta", "key,value", Table::kNone},
    {"run_argument", "position,value", Table::kNone},
    {"run_end", "time_ns,exit_code,signal,reason", Table::kNone},
    {"dropped", "what,why,count", Table::kNone},
    {"file", "id,path,text", Table::kNone},
    {"code", "id,file,qualname,first_line", Table::kNone},
    {"code_line", "code,position,first_offset,line", Table::kCode},
    {"function", "id,name,file,line,decorator_line", Table::kNone},
    {"function_parameter", "function,position,name", Table::kFunction},
    {"trace",
     "id,function,graph,number,reason,start_ns,end_ns,python_ns,autograph_ns,optimize_ns,compile_ns,signature,nearest,"
     "why,source_code,source_offset,error",
     Table::kNone},
    {"key_leaf", "trace,position,path,parameter,kind,type,shape,value", Table::kTrace},
    {"trace_differing", "trace,position,path", Table::kTrace},
    {"trace_capture", "trace,position,capture", Table::kTrace},
    {"graph", "id,name", Table::kNone},
    {"node", "graph,position,id,name,op,family,attributes,constant,source_code,source_offset", Table::kGraph},
    {"node_input", "graph,node,position,source,output", Table::kGraph},
    {"node_control_input", "graph,node,position,source", Table::kGraph},
    {"node_output", "graph,node,position,type", Table::kGraph},
    {"node_function", "graph,node,position,attribute,function_graph", Table::kGraph},
    {"graph_input", "graph,position,node", Table::kGraph},
    {"graph_output", "graph,position,node,output", Table::kGraph},
    {"generated", "id,function,code,name,file,text", Table::kNone},
    {"generated_line", "generated,position,user_line", Table::kGenerated},
    {"generated_statement", "generated,position,line,last_line,kind,fate,note", Table::kGenerated},
    {"decision", "trace,file,line,kind,fate,note", Table::kNone},
    {"console", "time_ns,stream,text", Table::kNone},
    {"op", "id,name,family", Table::kNone},
    {"thread", "number,system_id,name", Table::kNone},
    {"device", "number,name,description", Table::kNone},
    {"op_chunk", "first_ns,last_ns,count,data", Table::kNone},
    {"call_chunk", "first_ns,last_ns,count,data", Table::kNone},
    {"device_chunk", "first_ns,last_ns,count,data", Table::kNone},
    {"op_signature", "id,op,inputs,outputs,input_bytes,output_bytes,flops", Table::kNone, 2},
};
static_assert(std::size(kTables) == size_t(Table::kCount));

constexpr size_t count_columns(const char* list) {
  size_t n = *list ? 1 : 0;
  for (; *list; ++list) n += *list == ',';
  return n;
}
constexpr auto kColumnCounts = [] {
  std::array<size_t, std::size(kTables)> counts{};
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = count_columns(kTables[i].columns);
  return counts;
}();
static_assert([] {
  for (size_t n : kColumnCounts)
    if (n > kMaxColumns) return false;
  return true;
}());
}  // namespace

const TableInfo& table_info(Table table) { return kTables[size_t(table)]; }

Table read_row(ByteReader& in, Value (&values)[kMaxColumns], size_t& count) {
  const uint8_t number = in.u8();
  if (number == 0 || number >= uint8_t(Table::kCount)) throw_broken("a row of no known table");
  count = kColumnCounts[number];
  for (size_t i = 0; i < count; ++i) {
    const uint8_t type = in.u8();
    switch (Value::Type(type)) {
      case Value::Type::kNull: values[i] = {}; break;
      case Value::Type::kInteger: values[i] = {Value::Type::kInteger, unzigzag(in.varint()), {}}; break;
      case Value::Type::kText:
      case Value::Type::kBlob: values[i] = {Value::Type(type), 0, in.text()}; break;
      default: throw_broken("a value of no known type");
    }
  }
  return Table(number);
}

}  // namespace footlight::session
