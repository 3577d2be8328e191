// GraphDef messages as a tree of fields that knows its schema: what the text form is printed from and what
// Python reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace footlight::proto {

enum class Kind : uint8_t { kBool, kInt, kFloat, kDouble, kString, kBytes, kDType, kMessage };
enum class Label : uint8_t { kSingle, kRepeated, kMap };  // a map is a repeated message of key and value

struct Schema;

struct FieldSchema {
  const char* name;
  Kind kind;
  Label label = Label::kSingle;
  const Schema* (*message)() = nullptr;  // kMessage: of what
};

struct Schema {
  const char* name;
  std::span<const FieldSchema> fields;
  const FieldSchema* find(std::string_view field) const;
};

class Message;
using Value = std::variant<int64_t, double, std::string, std::shared_ptr<Message>>;

class Message {
 public:
  explicit Message(const Schema& schema) : schema_(&schema) {}
  const Schema& schema() const { return *schema_; }

  void add(std::string_view field, Value value);       // single: set; repeated: appended
  Message& add(std::string_view field);                // a fresh sub-message
  Message& add_entry(std::string_view map, Value key); // a fresh entry; returns its `value` message
  std::vector<const Value*> values(const FieldSchema&) const;
  const Value* value(const FieldSchema&) const;
  struct Field { const FieldSchema* schema; Value value; };
  std::span<const Field> fields() const { return fields_; }
  void sort_map(std::string_view map);

  std::string text(int indent = 0) const;              // protobuf's text form

 private:
  const Schema* schema_;
  std::vector<Field> fields_;
};

const Schema& graph_def();
const Schema& node_def();
const Schema& function_def();
const Schema& attr_value();

}  // namespace footlight::proto
