// Protobuf messages as Python objects with the interface of the package `protobuf`: fields are attributes, repeated
// fields sequences, maps dictionaries.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <google/protobuf/message.h>

#include <memory>

namespace footlight::python {

// The Python class of a message type, created once. Borrowed.
PyObject* message_class(const google::protobuf::Descriptor* descriptor);
// The message that an object shows; null if it is none.
const google::protobuf::Message* message_in(PyObject*);
Ref message_object(std::shared_ptr<google::protobuf::Message> message);
// The value of the field that is set in a message that is a oneof, or None.
Ref value_set(const google::protobuf::Message& message);

void init_messages(PyObject* module);

}  // namespace footlight::python
