// Objects in keys that are others in each call, for the causes that look at objects.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// A candidate for each path at which at least three different objects stand, one after the other, if `wanted` says that
// they are of the right kind. Legitimate are those that exist side by side, if each is used often or they are instances
// of a method's class; one that is used again after another is left alone. `calls` of the findings are those with the
// objects. Texts are left to the cause.
std::vector<Candidate> changing_objects(const Evidence& evidence, const FunctionRun& run,
                                        bool (*wanted)(const LeafSeries& series));

// "<Eq value 14: rate=0.1>" -> "<Eq value 14>"
std::string without_fields(const std::string& text);
// {"rate", "0.1"} of "<Eq value 14: rate=0.1>": the numbers and texts that a value holds, as Python writes them.
std::vector<std::pair<std::string, std::string>> fields_of(const std::string& text);
// "<Eq value 14>": it is told from others by its class's own equality, and not by its identity.
bool is_value(const session::KeyLeaf& leaf);
// "<Eq value 14 like 12>": an equal one was in the cache, and died.
bool replaces_dead_equal(const session::KeyLeaf& leaf);

// Groups values that are equal: each group is known by the lowest number in it.
class EqualValues {
 public:
  explicit EqualValues(const FunctionRun& run);
  uint64_t first_equal(uint64_t number) const;
  // "<Eq value 14 like 12: rate=0.1>" -> "<Eq value 12>"
  std::string first_equal(const std::string& text) const;

 private:
  std::unordered_map<uint64_t, uint64_t> like_;
};

}  // namespace footlight::explain
