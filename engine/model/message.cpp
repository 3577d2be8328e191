// Reads messages in protobuf's wire form.
#include "engine/model/message.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <bit>
#include <cstring>

namespace footlight::model {
namespace {

constexpr size_t kMostParts = size_t{1} << 24;
constexpr int kDeepest = 100;

class WireReader {
 public:
  Message read(const Schema& schema, std::string_view bytes, int depth) {
    if (depth > kDeepest) bad(schema, "its parts are nested too deep");
    Message message;
    while (!bytes.empty()) {
      const uint64_t tag = varint(schema, bytes);
      const auto number = static_cast<uint32_t>(tag >> 3);
      const Field* field = nullptr;
      for (const Field& f : schema.fields)
        if (f.number == number) field = &f;
      switch (tag & 7) {
        case 0: add_number(message, field, varint(schema, bytes)); break;
        case 1: add_real(message, field, fixed(schema, bytes, 8)); break;
        case 2: {
          const uint64_t size = varint(schema, bytes);
          if (size > bytes.size()) bad(schema, "it ends in the middle of a part");
          const std::string_view part = bytes.substr(0, size);
          bytes.remove_prefix(size);
          if (field) add_part(schema, message, *field, part, depth);
          break;
        }
        case 5: add_real(message, field, fixed(schema, bytes, 4)); break;
        default: bad(schema, "a field of it has an unknown form");
      }
    }
    return message;
  }

 private:
  [[noreturn]] static void bad(const Schema& schema, const char* why) {
    fail(ErrorKind::kValue, "this is no ", schema.name, ", or it is damaged: ", why);
  }

  Message::Value& add(Message& message, const Field& field) {
    if (++parts_ > kMostParts) fail(ErrorKind::kValue, "the file has more than ", kMostParts, " parts");
    message.values.emplace_back().field = &field;
    return message.values.back();
  }
  void add_number(Message& message, const Field* field, uint64_t value) {
    if (field && field->kind == Field::Kind::kNumber)
      add(message, *field).number = static_cast<int64_t>(value);
  }
  void add_real(Message& message, const Field* field, std::string_view bytes) {
    if (!field || (field->kind != Field::Kind::kFloat && field->kind != Field::Kind::kDouble)) return;
    const bool single = field->kind == Field::Kind::kFloat;
    if (bytes.size() != (single ? 4u : 8u)) return;
    float narrow = 0;
    double wide = 0;
    std::memcpy(single ? static_cast<void*>(&narrow) : &wide, bytes.data(), bytes.size());
    add(message, *field).real = single ? double{narrow} : wide;
  }
  void add_part(const Schema& schema, Message& message, const Field& field, std::string_view part,
                int depth) {
    if (field.kind == Field::Kind::kText) {
      add(message, field).text = part;
    } else if (field.kind == Field::Kind::kMessage) {
      auto inner = std::make_unique<Message>(read(*field.of, part, depth + 1));
      add(message, field).message = std::move(inner);
    } else if (field.kind == Field::Kind::kNumber) {  // packed
      while (!part.empty()) add_number(message, &field, varint(schema, part));
    } else {
      const size_t size = field.kind == Field::Kind::kFloat ? 4 : 8;
      while (part.size() >= size) {
        add_real(message, &field, part.substr(0, size));
        part.remove_prefix(size);
      }
    }
  }

  static uint64_t varint(const Schema& schema, std::string_view& bytes) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) bad(schema, "it ends in the middle of a number");
      const auto byte = static_cast<uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    bad(schema, "a number of it is too long");
  }
  static std::string_view fixed(const Schema& schema, std::string_view& bytes, size_t size) {
    if (bytes.size() < size) bad(schema, "it ends in the middle of a number");
    const std::string_view found = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return found;
  }

  size_t parts_ = 0;
};

}  // namespace

const Message::Value* Message::last(std::string_view name) const {
  for (size_t i = values.size(); i-- > 0;)
    if (values[i].field->name == name) return &values[i];
  return nullptr;
}
const Message* Message::message(std::string_view name) const {
  const Value* value = last(name);
  return value ? value->message.get() : nullptr;
}
std::string_view Message::text(std::string_view name) const {
  const Value* value = last(name);
  return value ? value->text : std::string_view();
}
int64_t Message::number(std::string_view name, int64_t otherwise) const {
  const Value* value = last(name);
  return value ? value->number : otherwise;
}
std::vector<const Message*> Message::messages(std::string_view name) const {
  std::vector<const Message*> found;
  for (const Value& value : values)
    if (value.message && value.field->name == name) found.push_back(value.message.get());
  return found;
}
std::vector<std::string_view> Message::texts(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const Value& value : values)
    if (value.field->kind == Field::Kind::kText && value.field->name == name) found.push_back(value.text);
  return found;
}
std::vector<int64_t> Message::numbers(std::string_view name) const {
  std::vector<int64_t> found;
  for (const Value& value : values)
    if (value.field->kind == Field::Kind::kNumber && value.field->name == name) found.push_back(value.number);
  return found;
}

Message read_bytes(const Schema& schema, std::string_view bytes) {
  return WireReader().read(schema, bytes, 0);
}

}  // namespace footlight::model
