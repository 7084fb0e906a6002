/// Answers that do not end: of each kind that a person may ask for.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ingle::content {

/// Name and text, of at least `size` bytes each.
inline std::vector<std::pair<std::string, std::string>> longTexts(size_t size) {
    const auto repeated = [&](std::string head, const auto& piece) {
        for (size_t number = 1; head.size() < size; ++number) head += piece(number);
        return head;
    };
    const std::string sentence =
        "The **quick** brown fox *jumps* over `the` lazy dog, and [so](https://example.org) on. ";
    return {
        {"prose", repeated("", [&](size_t) { return sentence + sentence + sentence + "\n\n"; })},
        {"paragraph", repeated("", [&](size_t) { return sentence; })},
        {"lines", repeated("", [&](size_t) { return sentence + "\n"; })},
        {"unspaced", repeated("", [](size_t) { return std::string("すもももももももものうち。"); })},
        {"list",
         repeated("", [&](size_t number) { return std::to_string(number) + ". " + sentence + "\n"; })},
        {"nested list", repeated("- a\n",
                                 [&](size_t number) {
                                     return std::string(number % 3 * 2 + 2, ' ') + "- " + sentence + "\n";
                                 })},
        {"quote", repeated("",
                           [&](size_t number) {
                               return std::string(number % 5 == 0 ? ">\n" : "> ") + sentence + "\n";
                           })},
        {"code", repeated("```cpp\n",
                          [](size_t number) {
                              return "    int value" + std::to_string(number) +
                                     " = compute(\"text\", 42);  // why\n" + (number % 7 == 0 ? "\n" : "");
                          })},
        {"code on one line", repeated("```\n", [](size_t) { return std::string("x=1;"); })},
        {"indented code", repeated("", [](size_t) { return std::string("    indented code\n\n"); })},
        {"table", repeated("| name | *value* |\n|---|--:|\n",
                           [](size_t number) {
                               return "| row " + std::to_string(number) + " | **" +
                                      std::to_string(number * 7) + "** |\n";
                           })},
        {"formula", repeated("$$\n", [](size_t) { return std::string("x_1 + \\frac{1}{2} \\\\\n"); })},
    };
}

}  // namespace ingle::content
