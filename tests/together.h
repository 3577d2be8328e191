// Test files that are built as one program, which runs the file that its first argument names (footlight_tests).
// Replaces what Qt's QTEST_MAIN and its like make of each file: the function main.
#pragma once

#include <QTest>

namespace footlight {

struct TestFile {
  using Run = int (*)(int argc, char** argv);

  TestFile(const char* path, Run run_tests);  // one static object per file

  const char* path;
  Run run;
};

}  // namespace footlight

#undef QTEST_MAIN_WRAPPER
#define QTEST_MAIN_WRAPPER(Tests, ...)                                                   \
  static const footlight::TestFile file_of_##Tests(__FILE__, [](int argc, char** argv) { \
    QTest::Internal::callInitMain<Tests>();                                              \
    __VA_ARGS__                                                                          \
    Tests tests;                                                                         \
    return QTest::qExec(&tests, argc, argv);                                             \
  });
