// Names the place of the node that failed.
#include "engine/python/function/call/failure.h"

#include "engine/base/assertion.h"
#include "engine/base/text.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/source.h"
#include "engine/runtime/executor.h"

namespace footlight::python {

std::string line_of(SourceRef source) {
  const SourcePlace place = place_of(source);
  return place.file.empty() ? "" : str("\n    File \"", place.file, "\", line ", place.line, ", in ", place.function);
}

void explain_failure() {
  const runtime::Failure failure = runtime::take_failure();
  try {
    throw;
  } catch (const PythonErrorSet&) {
    throw;
  } catch (const Error& e) {
    if (!failure.graph || failure.node.value >= failure.graph->size()) throw;
    const Node& node = failure.graph->node(failure.node);
    const std::string text = str(e.message(), "\n\t [[{{node ", node.name, "}}]]", line_of(node.source));
    if (dynamic_cast<const AssertionFailure*>(&e)) throw AssertionFailure(text);
    throw Error(e.kind(), text);
  }
}

}  // namespace footlight::python
