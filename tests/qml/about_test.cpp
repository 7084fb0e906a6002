/// What the window says of its own age.
#include <QtTest>

#include "app/desktop/settings/about.h"
#include "tests/qml/suite.h"

using ingle::desktop::aboutText;

class AboutTest : public QObject {
    Q_OBJECT

  private slots:
    void ageIsToldInWholeMonths() {
        const QDate released(2026, 1, 31);
        QCOMPARE(aboutText("1.2.3", released, {2026, 1, 31}), QString("Inglenook 1.2.3."));
        QCOMPARE(aboutText("1.2.3", released, {2026, 2, 27}), QString("Inglenook 1.2.3."));
        QCOMPARE(aboutText("1.2.3", released, {2026, 3, 30}),
                 QString("Inglenook 1.2.3. This version is a month old."));
        QCOMPARE(aboutText("1.2.3", released, {2027, 3, 1}),
                 QString("Inglenook 1.2.3. This version is 13 months old."));
    }

    void aClockThatIsWrongSaysNothing() {
        QCOMPARE(aboutText("1.2.3", {2026, 1, 31}, {1970, 1, 1}), QString("Inglenook 1.2.3."));
        QCOMPARE(aboutText("1.2.3", {}, {2026, 1, 1}), QString("Inglenook 1.2.3."));
    }
};

WINDOW_SUITE(AboutTest)
#include "about_test.moc"
