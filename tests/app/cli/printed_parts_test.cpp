#include "app/cli/printed_parts.h"

#include <gtest/gtest.h>

namespace ingle::cli {
namespace {

TEST(PrintedParts, tellsPartsApartByMarks) {
    PrintedParts printed;
    std::string text = printed.add({PartKind::Thought, "hm", {}});
    text += printed.add({PartKind::Thought, " yes", {}});
    text += printed.add({PartKind::ToolCall, "", {}});
    text += printed.add({PartKind::Text, "Hello", {}});
    EXPECT_EQ(printed.finish(), "");
    text += printed.add({PartKind::ToolCall, "{}", {}});
    text += printed.finish();
    EXPECT_EQ(text, "<think>\nhm yes\n</think>\n\nHello\n```tool_call\n{}\n```\n");
    EXPECT_EQ(PrintedParts().add({PartKind::Text, "x", {}}), "x");
}

}  // namespace
}  // namespace ingle::cli
