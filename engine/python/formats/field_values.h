// Single values of a message's fields, as Python objects and back.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <google/protobuf/message.h>

namespace footlight::python {

// `index` -1: of a field that is not repeated. No messages.
Ref field_value(const google::protobuf::Message&, const google::protobuf::FieldDescriptor*, int index);
// Throw PythonErrorSet for values that do not fit.
void set_field_value(google::protobuf::Message&, const google::protobuf::FieldDescriptor*, PyObject* value);
void add_field_value(google::protobuf::Message&, const google::protobuf::FieldDescriptor*, PyObject* value);

}  // namespace footlight::python
