// Reads messages in protobuf's wire form.
#include "engine/model/message.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/wire/protobuf.h"

#include <cstring>

namespace footlight::model {
namespace {

constexpr size_t kMaxParts = size_t{1} << 24;
constexpr int kDeepest = 100;

class WireReader {
 public:
  Message read(const Schema& schema, std::string_view bytes, int depth) {
    if (depth > kDeepest) bad(schema, "its messages are nested too deeply");
    Message message;
    wire::ProtobufReader reader(bytes);
    while (reader.next()) {
      const Field* field = nullptr;
      for (const Field& f : schema.fields)
        if (f.number == reader.field) field = &f;
      if (!field) continue;
      if (reader.type == wire::kVarint) add_number(message, field, reader.number);
      else if (reader.type == wire::kBytes) add_part(schema, message, *field, reader.bytes, depth);
      else add_real(message, field, reader.bytes);
    }
    if (!reader.ok()) bad(schema, "it ends in the middle of a field, or a field has an unknown wire type");
    return message;
  }

 private:
  [[noreturn]] static void bad(const Schema& schema, const char* why) {
    fail(ErrorKind::kValue, "this is no ", schema.name, ", or it is damaged: ", why);
  }

  Message::Value& add(Message& message, const Field& field) {
    if (++parts_ > kMaxParts) fail(ErrorKind::kValue, "the file has more than ", kMaxParts, " parts");
    message.values.emplace_back().field = &field;
    return message.values.back();
  }
  void add_number(Message& message, const Field* field, uint64_t value) {
    if (field->kind == Field::Kind::kNumber)
      add(message, *field).number = static_cast<int64_t>(value);
  }
  void add_real(Message& message, const Field* field, std::string_view bytes) {
    if (field->kind != Field::Kind::kFloat && field->kind != Field::Kind::kDouble) return;
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
      uint64_t value = 0;
      while (!part.empty()) {
        if (!wire::take_varint(part, value)) bad(schema, "it ends in the middle of a number");
        add_number(message, &field, value);
      }
    } else {
      const size_t size = field.kind == Field::Kind::kFloat ? 4 : 8;
      while (part.size() >= size) {
        add_real(message, &field, part.substr(0, size));
        part.remove_prefix(size);
      }
    }
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
