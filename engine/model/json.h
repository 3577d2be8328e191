// JSON as a tree, for the configuration of a Keras model. The reader is ours: numbers keep the digits of the file, and
// the values of a bomb are counted before they take memory; the tree of nlohmann/json does neither.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::model {

class Json {
 public:
  // The field of an object; an empty value if no field has that name.
  const Json& operator[](std::string_view name) const;
  const std::vector<Json>& items() const { return items_; }  // of a list
  const std::map<std::string, Json, std::less<>>& fields() const { return fields_; }  // of an object
  bool is_text() const { return kind_ == Kind::kText; }
  bool is_word(std::string_view word) const { return kind_ == Kind::kWord && text_ == word; }  // true, false or null
  bool empty() const { return text_.empty() && items_.empty() && fields_.empty(); }
  // The digits of a number that counts; empty for all else.
  std::string_view number() const;
  const std::string& text() const { return text_; }          // of a text or a number
  // In a line, cut off when it becomes long: "(null, 3)".
  std::string compact() const;

 private:
  friend class JsonReader;
  enum class Kind { kNothing, kText, kWord, kList, kObject };
  Kind kind_ = Kind::kNothing;
  std::string text_;
  std::vector<Json> items_;
  std::map<std::string, Json, std::less<>> fields_;
};

// Throws kValue for what is none, for more than 2^22 values, and for values nested more than 200 deep.
Json parse_json(std::string_view text);

}  // namespace footlight::model
