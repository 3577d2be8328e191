// Keys: which calls count as the same, how keys differ, and how the differences are described.
#include "engine/keys/key.h"
#include "tests/keys/specs.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace footlight;
using namespace footlight::keys;

namespace {

Key made(const KeyWriter& writer, std::vector<std::string> parameters = {"x", "lr"}, Names names = {}) {
  return Key({writer.words.data(), writer.words.size()}, std::move(parameters),
             std::make_shared<Names>(std::move(names)));
}

template <class Body>
Key key(Body&& body, std::vector<std::string> parameters = {"x", "lr"}) {
  KeyWriter writer;
  writer.context(0);
  body(writer);
  return made(writer, std::move(parameters));
}

std::vector<std::string> paths(const Key& a, const Key& b) {
  std::vector<std::string> all;
  for (const Difference& d : differences(a, b)) all.push_back(d.path);
  return all;
}

using Paths = std::vector<std::string>;

}  // namespace

class TestKeys : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void literals_differ_by_type_and_value() {
    const Key one = key([](KeyWriter& w) { w.integer(1); });
    const Key truth = key([](KeyWriter& w) { w.put(Token::kBool, 1); });
    const Key real = key([](KeyWriter& w) { w.floating(1.0); });
    QVERIFY(!one.same(truth.words));
    QVERIFY(!one.same(real.words));
    QVERIFY(!truth.same(real.words));
    QVERIFY(one.same(key([](KeyWriter& w) { w.integer(1); }).words));
  }

  void zeros_have_signs_and_nan_is_itself() {
    const Key plus = key([](KeyWriter& w) { w.floating(0.0); });
    const Key minus = key([](KeyWriter& w) { w.floating(-0.0); });
    QVERIFY(!plus.same(minus.words));
    const Key a = key([](KeyWriter& w) { w.floating(std::nan("1")); });
    const Key b = key([](KeyWriter& w) { w.floating(-std::nan("2")); });
    QVERIFY(a.same(b.words));
    QCOMPARE(a.hash, b.hash);
  }

  void texts_of_any_length_are_read_back() {
    for (size_t length = 0; length < 40; ++length) {
      const std::string text(length, 'a');
      const Key k = key([&](KeyWriter& w) { w.text(Token::kString, text); });
      size_t at = 2;
      QCOMPARE(std::string(read(k.words, at).text()), text);
      QCOMPARE(at, k.words.size());
    }
  }

  void a_general_shape_covers_a_specific_one() {
    auto tensor = [](Shape shape, DType dtype = DType::kFloat32) {
      return key([&](KeyWriter& w) { w.tensor(key_spec(dtype, shape)); });
    };
    const Key specific = tensor({2, 3});
    for (const Shape& shape :
         {Shape{2, 3}, Shape{kUnknownDim, 3}, Shape{kUnknownDim, kUnknownDim}, Shape::unknown_rank()})
      QVERIFY(is_subtype(specific.words, tensor(shape).words));
    QVERIFY(!is_subtype(tensor({kUnknownDim, 3}).words, specific.words));
    QVERIFY(!is_subtype(specific.words, tensor({2, 3, 1}).words));
    QVERIFY(!is_subtype(specific.words, tensor({2, 3}, DType::kFloat64).words));
  }

  void variables_count_by_alias_number() {
    auto pair = [](uint32_t second) {
      return key([&](KeyWriter& w) {
        w.variable(key_spec(DType::kFloat32, Shape{2}), true, 0);
        w.variable(key_spec(DType::kFloat32, Shape{2}), true, second);
      });
    };
    QVERIFY(!is_subtype(pair(0).words, pair(1).words));
    QVERIFY(is_subtype(pair(1).words, pair(1).words));
    QCOMPARE(paths(pair(0), pair(1)), (Paths{"args[1]"}));
  }

  void generalising_keeps_what_agrees() {
    auto tensor = [](Shape shape) {
      return key([&](KeyWriter& w) {
        w.tensor(key_spec(DType::kInt32, shape));
        w.integer(7);
      });
    };
    const auto both = generalise(tensor({2, 8}).words, tensor({3, 8}).words);
    QVERIFY(both.has_value());
    QVERIFY(std::ranges::equal(*both, tensor({kUnknownDim, 8}).words));
    const auto ranks = generalise(tensor({2}).words, tensor({2, 2}).words);
    QVERIFY(std::ranges::equal(*ranks, tensor(Shape::unknown_rank()).words));
    const Key other = key([](KeyWriter& w) { w.tensor(key_spec(DType::kInt32, Shape{2})); w.integer(8); });
    QVERIFY(!generalise(tensor({2}).words, other.words).has_value());
  }

  // A weak type is a part of the key, and is said apart from the dtype.
  void weak_types_are_told_apart() {
    const auto scalar = [](bool weak) {
      return key([&](KeyWriter& w) { w.tensor({.dtype = 1, .has_rank = true, .sizes = {}, .weak = weak}); });
    };
    const Key weak = scalar(true), strong = scalar(false);
    QVERIFY(!weak.same(strong.words));
    QVERIFY(!is_subtype(weak.words, strong.words));
    QVERIFY(!generalise(weak.words, strong.words));
    QVERIFY(hash_without_shapes(weak.words) != hash_without_shapes(strong.words));
    QCOMPARE(phrase(differences(weak, strong)), std::string("weak type of x"));
    QCOMPARE(differences(weak, strong).front().path, std::string("args[0].weak_type"));
    QCOMPARE(summary(weak), std::string("weak f32[]"));
  }

  void differences_are_minimal() {
    auto call = [](Shape shape, double lr) {
      return key([&](KeyWriter& w) { w.tensor(key_spec(DType::kFloat32, shape)); w.floating(lr); });
    };
    QCOMPARE(paths(call({32, 8}, 0.1), call({33, 8}, 0.1)), (Paths{"args[0].shape[0]"}));
    QCOMPARE(paths(call({32, 8}, 0.1), call({32, 8}, 0.2)), (Paths{"args[1]"}));
    QCOMPARE(paths(call({32, 8}, 0.1), call({32}, 0.1)), (Paths{"args[0].shape"}));
    QCOMPARE(phrase(differences(call({32}, 0.1), call({33}, 0.2))), std::string("shape of x, value of lr"));
    QVERIFY(differences(call({32}, 0.1), call({32}, 0.1)).empty());
  }

  void paths_go_into_structures() {
    auto nested = [](int64_t dim, int64_t count) {
      return key([&](KeyWriter& w) {
        w.put(Token::kDict, 2);
        w.text(Token::kString, "a");
        w.put(Token::kList, static_cast<uint64_t>(count));
        for (int64_t i = 0; i < count; ++i) w.tensor(key_spec(DType::kFloat32, Shape{4, dim}));
        w.text(Token::kString, "b");
        w.put(Token::kNone);
        w.integer(3);
      });
    };
    QCOMPARE(paths(nested(32, 1), nested(33, 1)), (Paths{"args[0]['a'][0].shape[1]"}));
    QCOMPARE(paths(nested(32, 1), nested(32, 2)), (Paths{"len(args[0]['a'])"}));
    const auto leaves = describe(nested(32, 1));
    QCOMPARE(leaves.size(), size_t{6});
    QCOMPARE(leaves[3].path, std::string("args[0]['a'][0]"));
    QCOMPARE(leaves[3].shape, std::string("4,32"));
    QCOMPARE(leaves[3].parameter, std::string("x"));
  }

  void a_changed_form_is_one_difference() {
    const Key none = key([](KeyWriter& w) { w.put(Token::kNone); });
    const Key tensor = key([](KeyWriter& w) { w.tensor(key_spec(DType::kFloat32, Shape{3})); });
    QCOMPARE(paths(none, tensor), (Paths{"args[0]"}));
    QCOMPARE(phrase(differences(none, tensor)), std::string("kind of x"));
  }

  void context_differs_apart_from_arguments() {
    KeyWriter here, there;
    here.context(0);
    there.context(2);
    QCOMPARE(paths(made(here), made(there)), (Paths{"context.device"}));
  }

  void complex_numbers_are_told_apart() {
    auto number = [](double imaginary) { return key([&](KeyWriter& w) { w.complex(1, imaginary); }); };
    QCOMPARE(describe(number(-2))[1].value, std::string("(1.0-2.0j)"));
    QVERIFY(describe(number(1))[1].value != describe(number(2))[1].value);
  }

  void places_are_those_of_the_leaves() {
    KeyWriter w;
    w.context(0);
    w.put(Token::kDict, 1);
    w.text(Token::kString, "a long name of a key");
    w.numbered(Token::kNamedTuple, 7, 2);
    w.tensor(key_spec(DType::kFloat32, Shape{4, 5}));
    w.integer(3);
    w.put(Token::kNone);
    const Key k = made(w, {"x", "y"}, {{7, {"Point(left,right)"}}});
    const std::vector<ItemPlace> found = places(k.words);
    const auto leaves = describe(k);
    QCOMPARE(found.size(), leaves.size());
    QCOMPARE(leaves[3].path, std::string("args[0]['a long name of a key'].left"));
    QCOMPARE(found[3].path, std::string("args[0]['a long name of a key'].0"));
    QCOMPARE(found[3].item.spec().sizes.size(), size_t{2});
    QCOMPARE(found[3].end - found[3].begin, size_t{3});
    QCOMPARE(found[1].end, found.back().begin);
    QCOMPARE(found.back().end, k.words.size());
  }

  void damaged_words_are_no_key() {
    KeyWriter w;
    w.context(0);
    w.put(Token::kDict, 1);
    w.text(Token::kString, "name of a key");
    w.put(Token::kList, 2);
    w.tensor(key_spec(DType::kFloat32, Shape{4, 5}));
    w.text(Token::kBytes, "abc");
    const std::vector<uint64_t> words(w.words.begin(), w.words.end());
    QVERIFY(well_formed(words));
    QVERIFY(!well_formed({}));
    const std::span<const uint64_t> all(words);
    for (size_t n = 0; n < words.size(); ++n) QVERIFY(n == 2 || !well_formed(all.first(n)));
    // Whatever a word is changed to, anything accepted as a key can be described.
    for (size_t i = 0; i < words.size(); ++i) {
      for (uint64_t bad :
           {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63, uint64_t{255}, words[i] ^ 0xff00, words[i] << 8}) {
        std::vector<uint64_t> changed = words;
        changed[i] = bad;
        if (well_formed(changed)) QVERIFY(describe(Key(changed, {}, nullptr)).size() >= 1);
      }
    }
    std::vector<uint64_t> deep(words.begin(), words.begin() + 4);
    for (int i = 0; i < 100000; ++i) deep.push_back(static_cast<uint64_t>(Token::kTuple) | 1 << 8);
    deep.push_back(static_cast<uint64_t>(Token::kNone));
    QVERIFY(!well_formed(deep));
  }

  void the_summary_is_short() {
    const Key k = key([](KeyWriter& w) {
      w.tensor(key_spec(DType::kFloat32, Shape{32, kUnknownDim}));
      w.put(Token::kTuple, 2);
      w.put(Token::kBool, 1);
      w.text(Token::kString, "sum");
    });
    QCOMPARE(summary(k), std::string("f32[32,None] (True 'sum')"));
    // Calls with other keyword arguments have other summaries.
    std::set<std::string> told;
    for (const char* name : {"a", "b"})
      told.insert(summary(key([&](KeyWriter& w) {
        w.put(Token::kDict, 1);
        w.text(Token::kString, name);
        w.put(Token::kBool, 1);
      })));
    QCOMPARE(told, (std::set<std::string>{"{a: True}", "{b: True}"}));
  }

  // The type of an iterator is a number in the key; its name says what it yields.
  void iterators_differ_in_what_they_yield() {
    const auto iterator = [](uint64_t number, const std::string& name) {
      KeyWriter writer;
      writer.context(0);
      writer.put(Token::kTuple, 2);
      writer.numbered(Token::kCustom, number);
      writer.tensor(key_spec(DType::kInt64, Shape{}));
      return made(writer, {"it"}, {{number, {name}}});
    };
    const Key a = iterator(1, "IteratorSpec((f32[4,4] {'n': i32[4]}))");
    const Key longer = iterator(2, "IteratorSpec((f32[4,6] {'n': i32[4]}))");
    QCOMPARE(paths(a, longer), (Paths{"args[0].element_spec[0].shape[1]"}));
    QCOMPARE(phrase(differences(a, longer)), std::string("shape of the elements of it"));
    QCOMPARE(paths(a, iterator(3, "IteratorSpec((f32[4,4] {'n': i64[4]}))")),
             (Paths{"args[0].element_spec[1]['n'].dtype"}));
    for (const char* other : {"IteratorSpec(f32[4,4])", "<Iterator value 4>", "IteratorSpec((f32[4,4] {'n': i32[4]})"})
      QCOMPARE(phrase(differences(a, iterator(4, other))), std::string("kind of it"));
    std::vector<std::string> leaves;
    for (const session::KeyLeaf& leaf : describe(a))
      if (leaf.kind == "element") leaves.push_back(leaf.path + ' ' + leaf.type + ' ' + leaf.shape);
    QCOMPARE(leaves, (std::vector<std::string>{"args[0].element_spec[0] float32 4,4",
                                               "args[0].element_spec[1]['n'] int32 4"}));
    QCOMPARE(summary(a), std::string("IteratorSpec((f32[4,4] {'n': i32[4]}))"));
  }
};

QTEST_APPLESS_MAIN(TestKeys)
#include "test_keys.moc"
