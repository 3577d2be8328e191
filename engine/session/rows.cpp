// Rows of `meta`, and the frames of a log with their layouts.
#include "engine/session/rows.h"

namespace footlight::session {

void encode_meta(ByteWriter& out, std::string_view key, std::string_view text) {
  RowEncoder row(out, InSession());
  row.begin(kMetaTable);
  row.text(key);
  row.text(text);
}

void encode_meta(ByteWriter& out, std::string_view key, int64_t number) {
  RowEncoder row(out, InSession());
  row.begin(kMetaTable);
  row.text(key);
  row.integer(number);
}

ChunkRow decode_chunk_row(Row row, const Binding& binding) {
  ChunkRow chunk;
  RowDecoder decoder(row, binding);
  decoder.get(chunk.info.first_ns);
  decoder.get(chunk.info.last_ns);
  decoder.get(chunk.info.count);
  if (const Value* data = decoder.next()) chunk.data = data->bytes;
  return chunk;
}

void encode_chunk_row(ByteWriter& out, size_t kind, const ChunkInfo& info, std::string_view data) {
  RowEncoder row(out, InSession());
  row.begin(schema().first_chunk_table + kind);
  row.integer(info.first_ns);
  row.integer(info.last_ns);
  row.integer(info.count);
  row.blob(data);
}

uint32_t layout_number(std::string_view text) {
  const auto number = static_cast<uint32_t>(checksum(text));
  return number ? number : 1;
}

uint32_t own_layout() {
  static const uint32_t number = layout_number(layout_text());
  return number;
}

std::string layout_frame() {
  ByteWriter out;
  out.u32(0);
  out.text(layout_text());
  return std::move(out.bytes());
}

FrameReader::FrameReader(uint32_t version) : numbered_(version >= 3) {
  if (numbered_) learn(own_layout(), parse_layout(layout_text()));
  else learn(0, layout_before_3());
}

void FrameReader::learn(uint32_t number, const Layout& layout) {
  std::vector<Binding> tables;
  for (const Layout::Table& table : layout.tables) {
    if (table.chunk) bind_chunk(table, left_out_);
    else tables.push_back(bind(table, left_out_));
    if (!tables.empty()) values_.resize(std::max(values_.size(), tables.back().width));
  }
  layouts_.emplace_back(number, std::move(tables));
}

const std::vector<Binding>* FrameReader::begin(ByteReader& in) {
  if (!numbered_) return &layouts_.front().second;
  const uint32_t number = in.u32();
  if (number == 0) {
    constexpr size_t kMaxLayouts = 100;  // every version that wrote into the session has one
    const std::string_view text = in.text();
    for (const auto& [known, tables] : layouts_)
      if (known == layout_number(text)) return nullptr;
    if (layouts_.size() >= kMaxLayouts) throw_broken("it has too many layouts");
    learn(layout_number(text), parse_layout(text));
    return nullptr;
  }
  for (const auto& [known, tables] : layouts_)
    if (known == number) return &tables;
  throw_broken("a record has an unknown layout");
}

const Binding* FrameReader::row(ByteReader& in, const std::vector<Binding>& layout) {
  const uint64_t number = in.varint();
  if (number == 0 || number > layout.size()) throw_broken("a row of no table");
  const Binding& binding = layout[number - 1];
  for (size_t i = 0; i < binding.width; ++i) {
    const uint8_t type = in.u8();
    switch (Value::Type(type)) {
      case Value::Type::kNull: values_[i] = {}; break;
      case Value::Type::kInteger: values_[i] = {Value::Type::kInteger, unzigzag(in.varint()), {}}; break;
      case Value::Type::kReal: values_[i] = {Value::Type::kReal, static_cast<int64_t>(in.u64()), {}}; break;
      case Value::Type::kText:
      case Value::Type::kBlob: values_[i] = {Value::Type(type), 0, in.text()}; break;
      default: throw_broken("a value of no known type");
    }
  }
  return binding.table < 0 ? nullptr : &binding;
}

}  // namespace footlight::session
