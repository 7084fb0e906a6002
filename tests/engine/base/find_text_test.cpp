#include "engine/base/find_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/processor_time.h"

namespace ingle::base {
namespace {

TEST(FindText, findsWhatTheLibraryFinds) {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto text = [&](size_t most) {
            std::string out(random() % (most + 1), 'a');
            for (char& c : out) c = random() % 8 == 0 ? 'b' : 'a';
            return out;
        };
        const std::string whole = text(60);
        // Often one that is there.
        const size_t begin = random() % (whole.size() + 1);
        const std::string part = i % 2 == 0 ? text(30) : whole.substr(begin, random() % 40);
        const size_t from = random() % 70;
        ASSERT_EQ(findText(whole, part, from), whole.find(part, from)) << whole << " " << part << " " << from;
        ASSERT_EQ(findLastText(whole, part), whole.rfind(part)) << whole << " " << part;
    }
}

TEST(FindText, takesTheSumOfTheSizes) {
    const std::string text(2'000'000, 'a'), half(1'000'000, 'a');
    const double begin = test::processorSeconds();
    EXPECT_EQ(findText(text, half + 'b'), std::string::npos);
    EXPECT_EQ(findLastText(text, 'b' + half), std::string::npos);
    EXPECT_EQ(findText(text, half, 5), 5U);
    EXPECT_LT(test::processorSeconds() - begin, 0.5);
}

}  // namespace
}  // namespace ingle::base
