#include "engine/formats/checkpoint/json_walk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace ingle::formats {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxDepth = 64;

class Walker final : public Json::json_sax_t {
  public:
    explicit Walker(JsonVisitor& visitor) : m_visitor(visitor) {}

    Status status() && { return std::move(m_status); }

    bool null() override { return value(nullptr); }
    bool boolean(bool held) override { return value(held); }
    bool number_integer(number_integer_t held) override { return value(int64_t{held}); }
    bool number_unsigned(number_unsigned_t held) override {
        if (held <= INT64_MAX) return value(static_cast<int64_t>(held));
        return value(uint64_t{held});
    }
    bool number_float(number_float_t held, const string_t& /*text*/) override { return value(held); }
    bool string(string_t& held) override { return value(std::string_view(held)); }
    bool binary(binary_t& /*held*/) override { return false; }

    bool start_object(size_t /*count*/) override { return enter(false); }
    bool end_object() override { return leave(); }
    bool start_array(size_t /*count*/) override {
        if (m_path.empty()) return refuse("it is no object");
        return enter(true);
    }
    bool end_array() override {
        const bool isEmpty = m_path.back().index == 0;
        m_path.pop_back();
        if (isEmpty) m_visitor.emptyArray(m_path);
        advance();
        return true;
    }
    bool key(string_t& held) override {
        m_path.back().key = held;
        return accept(m_visitor.key(m_path));
    }
    bool parse_error(size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        return refuse(fmt::format("it is no JSON at byte {}", position));
    }

  private:
    bool refuse(const std::string& what) { return accept(fail(ErrorCode::Corrupt, "{}", what)); }
    bool accept(Status status) {
        m_status = std::move(status);
        return m_status.has_value();
    }
    bool enter(bool isArray) {
        if (m_path.size() == kMaxDepth) return refuse("it is nested too deeply");
        m_path.push_back({.isIndex = isArray});
        return true;
    }
    bool leave() {
        m_path.pop_back();
        advance();
        return true;
    }
    bool value(const JsonValue& held) {
        if (m_path.empty()) return refuse("it is no object");
        if (!accept(m_visitor.value(m_path, held))) return false;
        advance();
        return true;
    }
    /// To the next place of the array, if it is one.
    void advance() {
        if (!m_path.empty() && m_path.back().isIndex) ++m_path.back().index;
    }

    JsonVisitor& m_visitor;
    JsonPath m_path;
    Status m_status;
};

/// Python writes numbers that JSON does not have: Infinity becomes the largest number there is, and NaN null.
/// Nothing where there are none.
std::optional<std::string> withoutPythonsNumbers(std::string_view text) {
    struct Word {
        std::string_view word, instead;
    };
    constexpr Word kWords[] = {{"Infinity", "1.7976931348623157e308"}, {"NaN", "null"}};
    constexpr size_t kMostLooked = size_t{1} << 20;  // configurations; vocabularies hold none
    if (text.size() > kMostLooked) return std::nullopt;
    if (std::ranges::none_of(kWords, [&](const Word& each) { return text.find(each.word) != text.npos; }))
        return std::nullopt;
    std::string out;
    bool isInText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const auto found = std::ranges::find_if(
            kWords, [&](const Word& each) { return text.substr(at).starts_with(each.word); });
        if (!isInText && found != std::end(kWords)) {
            out += found->instead;
            at += found->word.size() - 1;
            continue;
        }
        if (text[at] == '"') isInText = !isInText;
        if (isInText && text[at] == '\\' && at + 1 < text.size()) out += text[at++];
        out += text[at];
    }
    return out;
}

}  // namespace

Status walkJson(std::string_view text, JsonVisitor& visitor) {
    const auto changed = withoutPythonsNumbers(text);
    if (changed) text = *changed;
    Walker walker(visitor);
    const bool isWhole = Json::sax_parse(text.begin(), text.end(), &walker);
    Status status = std::move(walker).status();
    if (!isWhole && status) return fail(ErrorCode::Corrupt, "it is no JSON");
    return status;
}

bool looksLikeJson(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

}  // namespace ingle::formats
