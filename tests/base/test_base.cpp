// Small vectors, messages, errors and what is read first of an error.
#include "engine/base/error_words.h"
#include "engine/base/place.h"
#include "engine/base/small_vector.h"
#include "engine/base/text.h"
#include "tests/base/thrown.h"

#include <QTest>

using namespace footlight;

class TestBase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void small_vector_grows_out_of_itself() {
    SmallVector<int64_t, 2> v;
    for (int64_t i = 0; i < 100; ++i) v.push_back(i);
    QCOMPARE(v.size(), 100u);
    for (int64_t i = 0; i < 100; ++i) QCOMPARE(v[static_cast<size_t>(i)], i);
    v.pop_back();
    QCOMPARE(v.back(), int64_t{98});
  }

  void small_vector_copies_and_moves() {
    SmallVector<int, 2> little;
    little.push_back(7);
    SmallVector<int, 2> large;
    for (int i = 0; i < 9; ++i) large.push_back(i);
    SmallVector<int, 2> a = little;
    SmallVector<int, 2> b = large;
    QVERIFY(a == little && b == large && !(a == b));
    std::swap(a, b);
    QVERIFY(a == large && b == little);
    a = std::move(b);
    QVERIFY(a == little);
    SmallVector<int, 2> c = std::move(large);
    QCOMPARE(c.size(), 9u);
    QCOMPARE(large.size(), 0u);
    large.push_back(1);
    QCOMPARE(large[0], 1);
    c = c;
    QCOMPARE(c.size(), 9u);
    c.resize(12, 5);
    QCOMPARE(c[11], 5);
    c.clear();
    QVERIFY(c.empty());
  }

  void an_error_in_user_code() {
    const char* text =
        "Traceback (most recent call last):\n"
        "  File \"/run/deep.py\", line 12, in <module>\n    step(x)\n"
        "  File \"/run/helpers.py\", line 7, in project\n    y = tf.matmul(x, w)\n        ^^^^^^^^^^^^^^^\n"
        "ValueError: in user code:\n\n"
        "    File \"/run/deep.py\", line 7, in step  *\n        return helpers.forward(x)\n"
        "    File \"/run/helpers.py\", line 7, in project  *\n        y = tf.matmul(x, w)\n\n"
        "    ValueError: the inner dimensions 3 and 4 must be equal [Op:MatMul]\n";
    const ErrorWords words = error_words(text);
    QCOMPARE(words.message, std::string("ValueError: the inner dimensions 3 and 4 must be equal [Op:MatMul]"));
    QCOMPARE(words.file, std::string("/run/helpers.py"));
    QCOMPARE(words.text(),
             std::string("ValueError: the inner dimensions 3 and 4 must be equal [Op:MatMul] at helpers.py:7"));
    // What a trace keeps begins with its class.
    QCOMPARE(error_words(std::string_view(text).substr(std::string_view(text).find("ValueError: in"))).text(),
             words.text());
  }

  void an_error_inside_of_keras() {
    const ErrorWords words = error_words(
        "ValueError: in user code:\n\n"
        "    File \"/v/lib/python3.11/site-packages/keras/src/trainer.py\", line 133, in step  **\n        run()\n"
        "    File \"/run/layers.py\", line 5, in call  *\n        return tf.matmul(x, self.w)\n\n"
        "    ValueError: Exception encountered when calling Norm.call().\n\n"
        "    \x1b[1mMatrix size-incompatible: In[0]: [32,8], In[1]: [4,2]\x1b[0m\n\n"
        "    Arguments received by Norm.call():\n      \xe2\x80\xa2 x=tf.Tensor\n");
    QCOMPARE(words.text(),
             std::string("ValueError: Matrix size-incompatible: In[0]: [32,8], In[1]: [4,2] at layers.py:5"));
  }

  void other_errors() {
    // A node that failed names its line below the message.
    QCOMPARE(error_words("Traceback (most recent call last):\n  File \"/run/a.py\", line 9, in <module>\n    pick()\n"
                         "footlight.errors.InvalidArgumentError: indices = 9 is not in [0, 4)\n\t [[{{node G}}]]\n"
                         "    File \"/run/a.py\", line 6, in pick\n")
                 .text(),
             std::string("InvalidArgumentError: indices = 9 is not in [0, 4) at a.py:6"));
    // The last of several, and no line of a library.
    QCOMPARE(error_words("Traceback (most recent call last):\n  File \"/run/a.py\", line 3, in f\n    x[0]\n"
                         "KeyError: 0\n\nDuring handling of the above exception, another exception occurred:\n\n"
                         "Traceback (most recent call last):\n  File \"/run/b.py\", line 5, in g\n    f()\n"
                         "  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in decode\n    raise E\n"
                         "my.Problem: two\nlines\n")
                 .text(),
             std::string("Problem: two at b.py:5"));
    QCOMPARE(error_words(
                 "  File \"/run/a.py\", line 3\n    def f(\n         ^\nSyntaxError: '(' was never closed\n")
                 .text(),
             std::string("SyntaxError: '(' was never closed at a.py:3"));
    QCOMPARE(error_words("Traceback (most recent call last):\n  File \"/run/a.py\", line 26, in <module>\n    load()\n"
                         "footlight.errors.UnknownError: KeyError: 'c'\nTraceback (most recent call last):\n"
                         "  File \"/run/words.py\", line 8, in lookup\n    return TABLE[word]\n\n"
                         "\t [[{{node EagerPyFunc}}]]\n    File \"/run/a.py\", line 12, in encode [Op:Next]").text(),
             std::string("KeyError: 'c' at words.py:8"));
    QCOMPARE(error_words("AssertionError").text(), std::string("AssertionError"));
    QCOMPARE(error_words("").text(), std::string());
    QCOMPARE(error_words("the worker was killed").text(), std::string("the worker was killed"));
    QVERIFY(!is_users_file("<string>") && !is_users_file("/v/site-packages/keras/x.py") && is_users_file("/run/x.py"));
  }

  void long_errors_keep_their_place() {
    const std::string text = "ValueError: " + std::string(200, 'x') + " at layers.py:5";
    const std::string made = shortened_error(text, 60);
    QVERIFY(made.size() <= 60);
    QVERIFY(made.starts_with("ValueError: xx") && made.ends_with("x … at layers.py:5"));
    QCOMPARE(shortened_error("short", 60), std::string("short"));
    QVERIFY(shortened_error(std::string(200, 'y'), 20).size() <= 20);
  }

  void lines_of_files_and_cells() {
    QCOMPARE(place_text("/home/me/train.py", 12), std::string("train.py:12"));
    QCOMPARE(place_text("train.py", 12), std::string("train.py:12"));
    QCOMPARE(place_text("cell [3]", 2), std::string("cell [3], line 2"));
    QCOMPARE(place_text("", 2), std::string());
    QVERIFY(is_cell("cell [3]") && !is_cell("/home/me/cell [3].py"));
    QCOMPARE(place_text_with_path("src/train.py", 12), std::string("src/train.py:12"));
    QCOMPARE(place_text_with_path("cell [31]", 2), std::string("cell [31], line 2"));
  }

  void messages() {
    QCOMPARE(str("a ", 3, ' ', std::string("b"), true, -2.5), std::string("a 3 btrue-2.5"));
    const std::optional<Error> error = error_of([] { fail(ErrorKind::kValue, "size ", size_t{4}, " is wrong"); });
    QVERIFY(error && error->kind() == ErrorKind::kValue);
    QCOMPARE(error->message(), std::string("size 4 is wrong"));
    QCOMPARE(std::string(error->what()), error->message());
  }
};

QTEST_GUILESS_MAIN(TestBase)
#include "test_base.moc"
