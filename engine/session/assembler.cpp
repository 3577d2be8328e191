// Finds the list for a row by descending the description of the record that owns it.
#include "engine/session/assembler.h"

namespace footlight::session {
namespace {

// Puts a row into the list of table `target` somewhere under `record`. `next`: the table of the next list of the walk;
// `level`: the column with the position in that list.
template <class R>
struct Descend : Fields {
  R& record;
  const Binding& binding;
  Row row;
  size_t next, level;
  Descend(R& r, const Binding& b, Row w, size_t n, size_t l) : record(r), binding(b), row(w), next(n), level(l) {}

  template <class E>
  void list(const char*, std::vector<E> R::* member, const char*, Note = {}) {
    const size_t own = next;
    next += table_count<E>();
    const auto target = static_cast<size_t>(binding.table);
    if (target < own || target >= next) return;
    std::vector<E>& elements = record.*member;
    uint64_t position = 0;
    RowDecoder(row, binding, level).get(position);
    if (target == own) {
      if (position > elements.size()) return;
      elements.resize(position);  // a row that comes again replaces the earlier one
      RowDecoder in(row, binding, level + 1);
      E element{};
      decode_columns(in, element);
      elements.push_back(std::move(element));
    } else if constexpr (Described<E>) {
      if (position >= elements.size()) return;
      Descend<E> inner(elements[position], binding, row, own + 1, level + 1);
      E::describe(inner);
    }
  }
};

// Sets the member of a record that `meta` stores under that key.
template <class R>
struct SetMember : Fields {
  R& record;
  std::string_view key;
  const Value& value;
  SetMember(R& r, std::string_view k, const Value& v) : record(r), key(k), value(v) {}
  template <class M>
  void column(const char* name, M R::* member, const char*, Note = {}) {
    if (key != name) return;
    const Binding binding{0, 1, {0}};
    RowDecoder({&value, 1}, binding).get(record.*member);
  }
};

template <class R>
uint32_t id_of(const R& record) {
  IdOf<R> id(record, InSession());
  R::describe(id);
  return static_cast<uint32_t>(id.value);
}

}  // namespace

template <class R>
void Assembler::put(std::vector<R>& records, size_t table, R record) {
  if (schema().tables[first_table(table)].has_id) {
    const auto [it, added] = positions_[table].try_emplace(id_of(record), static_cast<uint32_t>(records.size()));
    if (!added) {
      records[it->second] = std::move(record);
      return;
    }
  }
  records.push_back(std::move(record));
}

void Assembler::put(std::vector<DroppedRecord>& records, size_t, DroppedRecord record) {
  for (DroppedRecord& known : records)
    if (known.what == record.what && known.why == record.why) {
      known.count += record.count;
      return;
    }
  records.push_back(std::move(record));
}

template <class R, size_t I>
void Assembler::add_to(const Binding& binding, Row row) {
  auto& records = contents_.*std::get<I>(kRecordTables);
  const size_t own = first_table(I);
  if (static_cast<size_t>(binding.table) == own) {
    R record;
    RowDecoder in(row, binding);
    decode_columns(in, record);
    bytes_ += sizeof(R);
    put(records, I, std::move(record));
  } else if constexpr (requires { records[0]; }) {
    uint32_t owner = 0;
    RowDecoder(row, binding).get(owner);
    const auto it = positions_[I].find(owner);
    if (it == positions_[I].end()) return;
    Descend<R> lists(records[it->second], binding, row, own + 1, 1);
    R::describe(lists);
  }
}

void Assembler::meta(const Binding& binding, Row row) {
  if (static_cast<size_t>(binding.table) != kMetaTable) {
    Descend<RunRecord> lists(contents_.run, binding, row, kMetaTable + 1, 0);
    RunRecord::describe(lists);
    return;
  }
  if (binding.columns[0] < 0 || binding.columns[1] < 0) return;
  const std::string_view key = row[static_cast<size_t>(binding.columns[0])].bytes;
  const Value& value = row[static_cast<size_t>(binding.columns[1])];
  if (key == "script") contents_.run.arguments.clear();  // a run record written again: its arguments follow
  SetMember<RunRecord> run(contents_.run, key, value);
  RunRecord::describe(run);
  LevelRecord level{contents_.level};
  SetMember<LevelRecord> member(level, key, value);
  LevelRecord::describe(member);
  contents_.level = level.level;
}

void Assembler::add(const Binding& binding, Row row) {
  using Add = void (Assembler::*)(const Binding&, Row);
  struct Adders { std::vector<Add> by_table; };
  static const Adders* const adders = [] {
    auto* out = new Adders;
    out->by_table.assign(schema().tables.size(), nullptr);
    for (size_t i = 0; i < first_table(0); ++i) out->by_table[i] = &Assembler::meta;
    for_each_record_table([&]<class R, size_t I>() {
      for (size_t i = 0; i < table_count<R>(); ++i) out->by_table[first_table(I) + i] = &Assembler::add_to<R, I>;
    });
    return out;
  }();
  constexpr uint64_t kOfRow = 160;  // an element of a list, or the place of a record by its id
  ++rows_;
  bytes_ += kOfRow;
  for (const Value& v : row) bytes_ += v.bytes.size();
  if (const Add add = adders->by_table[static_cast<size_t>(binding.table)]) (this->*add)(binding, row);
}

}  // namespace footlight::session
