// Messages of files as trees of the fields that are looked at, read from bytes or from text without knowing
// the rest: what stands in a model can be shown without the engine and without protobuf. Files come from
// strangers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::model {

struct Schema;

// A field that is looked at; whatever else a message has is passed over.
struct Field {
  enum class Kind : uint8_t { kNumber, kFloat, kDouble, kText, kMessage };
  const char* name;
  uint32_t number;
  Kind kind;
  const Schema* of = nullptr;  // of a message
};

struct Schema {
  const char* name;
  std::vector<Field> fields;
};

class Message {
 public:
  struct Value {
    const Field* field;
    int64_t number = 0;
    double real = 0;
    std::string_view text = {};
    std::unique_ptr<Message> message = {};
  };
  std::vector<Value> values;  // in the order of the file

  // The last value of a field; empty, or 0, if there is none.
  const Message* message(std::string_view name) const;
  std::string_view text(std::string_view name) const;
  int64_t number(std::string_view name, int64_t otherwise = 0) const;
  bool has(std::string_view name) const { return last(name) != nullptr; }
  const Value* last(std::string_view name) const;
  std::vector<const Message*> messages(std::string_view name) const;
  std::vector<std::string_view> texts(std::string_view name) const;
  std::vector<int64_t> numbers(std::string_view name) const;
};

// `bytes` has to outlive the message, which refers to it. Both throw kValue for what is no such message, for
// more than 2^24 parts, and for parts that are nested more than 100 deep. `strings` keeps what text had to be
// unescaped.
Message read_bytes(const Schema& schema, std::string_view bytes);
Message read_text(const Schema& schema, std::string_view text,
                  std::vector<std::unique_ptr<std::string>>& strings);

// Schemas of TensorFlow's files.
const Schema& graph_def_schema();
const Schema& saved_model_schema();
const Schema& object_graph_schema();

}  // namespace footlight::model
