// Protobuf messages as Python objects, with the manners of the package `protobuf`: fields are attributes, repeated ones
// sequences, maps dictionaries.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <google/protobuf/message.h>

#include <memory>

namespace footlight::python {

// The Python class of a kind of message; made once. Borrowed.
PyObject* message_class(const google::protobuf::Descriptor* descriptor);
Ref message_object(std::shared_ptr<google::protobuf::Message> message);
// The value of the one field that is set in a message of alternatives, None where none is.
Ref value_set(const google::protobuf::Message& message);

void init_messages(PyObject* module);

}  // namespace footlight::python
