/// Words that are read, found in what was written.
#include "app/content/source_place.h"

#include <gtest/gtest.h>

#include <string>

#include "app/content/selection.h"
#include "tests/app/content/long_texts.h"
#include "tests/app/content/shown_blocks.h"

namespace ingle::content {
namespace {

/// Where the n-th `word` that is read in the text stands in it, in bytes; -1: it is not found.
long placeOf(const std::string& text, const std::string& word, size_t number = 0) {
    for (const Block& block : blocksOf(text)) {
        const std::string read = plainText(block);
        for (size_t at = read.find(word); at != std::string::npos; at = read.find(word, at + 1)) {
            if (number-- > 0) continue;
            const auto found = sourcePlace(block, text, at, at + word.size());
            return found ? static_cast<long>(*found) : -1;
        }
    }
    return -2;
}

TEST(SourcePlace, wordsAreFoundBetweenMarks) {
    EXPECT_EQ(placeOf("one two one", "one", 1), 8);
    EXPECT_EQ(placeOf("a **bold** and *slanted* word", "slanted"), 16);
    EXPECT_EQ(placeOf("first\n\n## A head\n\n- the first\n- the second", "second"), 36);
    EXPECT_EQ(placeOf("Größe 🔥 `code` ist Größe", "Größe", 1), 24);
    EXPECT_EQ(placeOf("see [the page](https://page.example/the) of the book", "the", 1), 44);
    EXPECT_EQ(placeOf("see [the page](https://page.example/of/the) of the book", "the", 1), 47);
    EXPECT_EQ(placeOf("a &amp; b &copy; c word", "word"), 19);
    EXPECT_EQ(placeOf("| a | b |\n|---|---|\n| cell | other |", "other"), 29);
    EXPECT_EQ(placeOf("```c\nint x = y;\n```\n\ny", "y"), 13);
    EXPECT_EQ(placeOf("a line  \nand another", "another"), 13);
}

TEST(SourcePlace, whatWasMadeFromSomethingElseIsNotFound) {
    EXPECT_EQ(placeOf("an &#228;pfel", "äpfel"), -1);
    const Block block = blocksOf("a word").front();
    EXPECT_FALSE(sourcePlace(block, "a word", 6, 6));
    EXPECT_FALSE(sourcePlace(block, "a", 2, 6)) << "another text";
}

TEST(SourcePlace, whatIsFoundReadsAsTheWord) {
    for (const auto& [name, text] : longTexts(5000)) {
        for (const Block& block : blocksOf(text)) {
            const std::string read = plainText(block);
            for (size_t at = 0; at + 4 <= read.size(); at += 97) {
                const auto found = sourcePlace(block, text, at, at + 4);
                if (!found) continue;
                EXPECT_EQ(text.substr(*found, 4), read.substr(at, 4)) << name;
            }
        }
    }
}

}  // namespace
}  // namespace ingle::content
