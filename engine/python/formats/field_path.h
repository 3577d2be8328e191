// A part of a message by its path from the root that owns it, and the objects that show parts.
#pragma once

#include "engine/base/text.h"
#include "engine/python/interpreter/ref.h"

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

namespace footlight::python {

// One field, or one item of a repeated field. An entry of a map is found by its key: its position changes whenever
// protobuf looks at the map in another way.
struct Step {
  const google::protobuf::FieldDescriptor* field;
  int index = -1;  // -1: not repeated
  std::string key = {};
};

// The key of a map's entry as text, and the position of the entry that has it; -1: none.
std::string key_text(const google::protobuf::Message& entry);
int find_entry(const google::protobuf::Message&, const google::protobuf::FieldDescriptor* map, const std::string& key);

// The path of a message.
class FieldPath {
 public:
  FieldPath(std::shared_ptr<google::protobuf::Message> root) : root_(std::move(root)) {}  // NOLINT: the whole message

  FieldPath at(const google::protobuf::FieldDescriptor* field, int index = -1) const { return with({field, index}); }
  FieldPath entry(const google::protobuf::FieldDescriptor* map, std::string key) const {
    return with({map, -1, std::move(key)});
  }
  // Both throw kValue if it was removed.
  const google::protobuf::Message& read() const;
  google::protobuf::Message& write() const;

 private:
  FieldPath with(Step step) const {
    FieldPath inner = *this;
    inner.path_.push_back(std::move(step));
    return inner;
  }
  std::shared_ptr<google::protobuf::Message> root_;
  std::vector<Step> path_;
};

bool is_message(PyObject*);
const FieldPath& place_of(PyObject* message);

Ref object_at(FieldPath);                                                            // a message
Ref repeated_at(FieldPath, const google::protobuf::FieldDescriptor*);
Ref map_at(FieldPath, const google::protobuf::FieldDescriptor*);
Ref item_at(const FieldPath&, const google::protobuf::FieldDescriptor*, int index);  // `index` -1: the field

// Throws kType unless `value` is a message of the type of `to`.
void copy_into(google::protobuf::Message& to, const google::protobuf::FieldDescriptor*, PyObject* value);
void append(google::protobuf::Message&, const google::protobuf::FieldDescriptor*, PyObject* value);
void extend(const FieldPath&, const google::protobuf::FieldDescriptor*, PyObject* values);
void set_map(const FieldPath&, const google::protobuf::FieldDescriptor*, PyObject* values);
void set_all(PyObject* message, PyObject* keywords);

void init_repeated();
void init_maps();

}  // namespace footlight::python
