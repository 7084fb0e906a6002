// window_test SUITE [Qt Test's options]: one suite of the window's tests. Without arguments it lists them.
#include <QGuiApplication>
#include <QtTest>

#include <cstdio>
#include <filesystem>

#include "tests/qml/suite.h"

namespace ingle::desktop {

std::vector<Suite>& suites() {
    static std::vector<Suite> all;
    return all;
}

}  // namespace ingle::desktop

int main(int count, char** arguments) {
    QGuiApplication application(count, arguments);
    application.setAttribute(Qt::AA_Use96Dpi);  // as QTEST_MAIN does
    for (const ingle::desktop::Suite& suite : ingle::desktop::suites()) {
        const std::string name = std::filesystem::path(suite.file).stem().string();
        if (count < 2) std::puts(name.c_str());
        if (count < 2 || name != arguments[1]) continue;
        // Qt Test's options stand behind the name.
        arguments[1] = arguments[0];
        return QTest::qExec(suite.make().get(), count - 1, arguments + 1);
    }
    if (count < 2) return 0;
    std::fprintf(stderr, "There is no suite %s.\n", arguments[1]);
    return 2;
}
