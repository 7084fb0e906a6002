/// The suites of the window's test program. A file ends with WINDOW_SUITE(FooTest) and the inclusion of its
/// moc file; `window_test foo_test` then runs that suite.
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ingle::desktop {

/// How long a test waits for what has to come.
inline constexpr int kPatienceMs = 20000;

struct Suite {
    std::string file;  ///< "foo_test.cpp", with the folders before it
    std::function<std::unique_ptr<QObject>()> make;
};

/// Those of all files, in no order.
std::vector<Suite>& suites();

struct SuiteRow {
    explicit SuiteRow(Suite suite) { suites().push_back(std::move(suite)); }
};

}  // namespace ingle::desktop

#define WINDOW_SUITE(Class)                           \
    static const ingle::desktop::SuiteRow Class##Row{ \
        {__FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); }}};
