// The messages about machines whose GPU cannot be used.
#include "kernels/cuda/refusal.h"

#include <QTest>

using footlight::cuda::Answer;

class TestRefusal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void words_data() {
    QTest::addColumn<int>("result");
    QTest::addColumn<int>("driver");
    QTest::addColumn<int>("devices");
    QTest::addColumn<QByteArray>("visible");
    QTest::addColumn<QString>("words");
    const QByteArray unset;
    QTest::newRow("fine") << 0 << 13000 << 1 << unset << "";
    QTest::newRow("newer driver") << 0 << 13020 << 2 << unset << "";
    QTest::newRow("no driver") << 35 << 0 << 0 << unset << "no CUDA driver is installed (libcuda.so.1 was not found)";
    QTest::newRow("old driver") << 35 << 12040 << 0 << unset
                                << "the CUDA driver is too old: it is for CUDA 12.4, and 13.0 is needed";
    QTest::newRow("old driver, another error") << 803 << 12040 << 0 << unset
                                               << "the CUDA driver is too old: it is for CUDA 12.4, and 13.0 is needed";
    QTest::newRow("no device") << 100 << 13000 << 0 << unset << "the CUDA driver finds no device";
    QTest::newRow("none counted") << 0 << 13000 << 0 << unset << "the CUDA driver finds no device";
    QTest::newRow("hidden") << 100 << 13000 << 0 << QByteArray("")
                            << "the CUDA driver shows no device (CUDA_VISIBLE_DEVICES is \"\")";
    QTest::newRow("does not start") << 802 << 13000 << 0 << unset
                                    << "the CUDA driver does not start: system not yet initialized (CUDA error 802)";
  }
  void words() {
    QFETCH(int, result);
    QFETCH(int, driver);
    QFETCH(int, devices);
    QFETCH(QByteArray, visible);
    QFETCH(QString, words);
    const Answer answer{result, "system not yet initialized", driver, 13000, devices,
                        visible.isNull() ? nullptr : visible.constData()};
    QCOMPARE(QString::fromStdString(refusal_in_words(answer)), words);
  }
};

QTEST_GUILESS_MAIN(TestRefusal)
#include "test_refusal.moc"
