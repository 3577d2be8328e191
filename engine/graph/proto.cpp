// Filling a message and printing it as protobuf's text form does.
#include "engine/graph/proto.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/tensor/dtype.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace footlight::proto {
namespace {

std::string number(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  auto end = single ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                    : std::to_chars(text, text + sizeof text, value);
  std::string result(text, end.ptr);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::string scalar(const FieldSchema& field, const Value& value) {
  switch (field.kind) {
    case Kind::kBool: return std::get<int64_t>(value) ? "true" : "false";
    case Kind::kInt: return std::to_string(std::get<int64_t>(value));
    case Kind::kDType: return std::string(graphdef_name(static_cast<DType>(std::get<int64_t>(value))));
    case Kind::kFloat: return number(std::get<double>(value), true);
    case Kind::kDouble: return number(std::get<double>(value), false);
    case Kind::kString:
    case Kind::kBytes: {
      std::string quoted;
      append_quoted(quoted, std::get<std::string>(value));
      return quoted;
    }
    case Kind::kMessage: break;
  }
  return {};
}

}  // namespace

const FieldSchema* Schema::find(std::string_view field) const {
  for (const FieldSchema& f : fields)
    if (field == f.name) return &f;
  return nullptr;
}

void Message::add(std::string_view field, Value value) {
  const FieldSchema* schema = schema_->find(field);
  FL_CHECK(schema);
  if (schema->label == Label::kSingle)
    std::erase_if(fields_, [&](const Field& f) { return f.schema == schema; });
  fields_.push_back({schema, std::move(value)});
}

Message& Message::add(std::string_view field) {
  const FieldSchema* schema = schema_->find(field);
  FL_CHECK(schema && schema->kind == Kind::kMessage);
  auto message = std::make_shared<Message>(*schema->message());
  add(field, message);
  return *message;
}

Message& Message::add_entry(std::string_view map, Value key) {
  Message& entry = add(map);
  entry.add("key", std::move(key));
  return entry.add("value");
}

std::vector<const Value*> Message::values(const FieldSchema& schema) const {
  std::vector<const Value*> found;
  for (const Field& f : fields_)
    if (f.schema == &schema) found.push_back(&f.value);
  return found;
}

const Value* Message::value(const FieldSchema& schema) const {
  for (const Field& f : fields_)
    if (f.schema == &schema) return &f.value;
  return nullptr;
}

void Message::sort_map(std::string_view map) {
  const FieldSchema* schema = schema_->find(map);
  auto key = [](const Field& f) -> const Value& {
    const Message& entry = *std::get<std::shared_ptr<Message>>(f.value);
    return *entry.value(*entry.schema().find("key"));
  };
  auto first = std::stable_partition(fields_.begin(), fields_.end(),
                                     [&](const Field& f) { return f.schema != schema; });
  std::stable_sort(first, fields_.end(), [&](const Field& a, const Field& b) { return key(a) < key(b); });
}

std::string Message::text(int indent) const {
  std::string out;
  const std::string margin(static_cast<size_t>(indent), ' ');
  for (const FieldSchema& schema : schema_->fields) {
    for (const Field& field : fields_) {
      if (field.schema != &schema) continue;
      out += margin;
      out += schema.name;
      if (schema.kind == Kind::kMessage) {
        out += " {\n";
        out += std::get<std::shared_ptr<Message>>(field.value)->text(indent + 2);
        out += margin;
        out += "}\n";
      } else {
        out += ": ";
        out += scalar(schema, field.value);
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace footlight::proto
