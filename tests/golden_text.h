/// Texts that are to stay as they are, byte by byte, in tests/vectors/text.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "ingle/result.h"

namespace ingle::test {

/// The file `name`. INGLE_WRITE_VECTORS=1 writes `text` to it first.
inline std::string goldenText(const std::string& name, const std::string& text) {
    const std::string path = INGLE_SOURCE_DIR "/tests/vectors/text/" + name;
    if (std::getenv("INGLE_WRITE_VECTORS")) std::ofstream(path, std::ios::binary) << text;
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path << ": write it with INGLE_WRITE_VECTORS=1";
    return {std::istreambuf_iterator<char>(file), {}};
}

namespace detail {

inline void findMembers(const nlohmann::json& value, const std::string& at, std::set<std::string>& found) {
    for (size_t i = 0; value.is_array() && i < value.size(); ++i)
        findMembers(value[i], fmt::format("{}/{}", at, i), found);
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
        found.insert(at + "/" + key);
        findMembers(member, at + "/" + key, found);
    }
}

}  // namespace detail

/// What becomes of each member when values of other kinds stand in its place, or nothing does: lines of all
/// objects that were asked about, each once.
class MemberReport {
  public:
    /// `rewrite` reads a text and writes what it has read, or says why it does not.
    template <typename Rewrite>
    void ask(const nlohmann::json& object, Rewrite rewrite) {
        std::set<std::string> members;
        detail::findMembers(object, "", members);
        for (const std::string& member : members) {
            const Pointer at(member);
            std::string line = at.back() + ":";
            for (const char* other : {"null", "true", "1.5", "-1", "3", "1e99", "\"x\"", "[1]", "{}"}) {
                nlohmann::json changed = object;
                changed.at(at) = nlohmann::json::parse(other);
                line += fmt::format(" {}→{}", other, outcome(rewrite(changed.dump()), at));
            }
            nlohmann::json changed = object;
            changed.at(at.parent_pointer()).erase(at.back());
            line += " without→" + outcome(rewrite(changed.dump()), at);
            m_lines.insert(line);
        }
    }
    void add(const std::string& line) { m_lines.insert(line); }
    std::string text() const {
        std::string text;
        for (const auto* lines : {&m_lines, &m_sentences})
            for (const std::string& line : *lines) text += line + "\n";
        return text;
    }

  private:
    using Pointer = nlohmann::json::json_pointer;

    std::string outcome(const Result<std::string>& written, const Pointer& at) {
        if (!written) {
            m_sentences.insert(written.error().message);
            return "refused";
        }
        const auto again = nlohmann::json::parse(*written, nullptr, false);
        return again.contains(at) ? again.at(at).dump() : "nothing";
    }

    std::set<std::string> m_lines, m_sentences;
};

}  // namespace ingle::test
