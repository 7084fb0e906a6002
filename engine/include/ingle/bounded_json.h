/// Parses JSON from untrusted sources. Its depth is limited because copying and printing recurse, and the
/// number of keys because an object compares each new key with all earlier ones.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ingle {

/// The limits are far above what people write, and low enough for a parse without a noticeable wait.
struct JsonLimits {
    int depth = 64;             ///< how deep arrays and objects may be nested
    size_t keys = 20'000;       ///< of all objects together
    size_t keysOfObject = 512;  ///< of one object
    size_t values = 1'000'000;  ///< elements of arrays and values of keys, all together
};

/// Counts what a text has as it is read, and stops at the first limit that it exceeds.
template <typename Json>
class JsonCounter : public nlohmann::json_sax<Json> {
  public:
    explicit JsonCounter(const JsonLimits& limits) : m_limits(limits) {}

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(typename Json::number_integer_t) override { return value(); }
    bool number_unsigned(typename Json::number_unsigned_t) override { return value(); }
    bool number_float(typename Json::number_float_t, const typename Json::string_t&) override {
        return value();
    }
    bool string(typename Json::string_t&) override { return value(); }
    bool binary(typename Json::binary_t&) override { return value(); }
    bool start_object(size_t) override { return open(); }
    bool key(typename Json::string_t&) override {
        return ++m_keys <= m_limits.keys && ++m_keysOfOpen.back() <= m_limits.keysOfObject;
    }
    bool end_object() override { return close(); }
    bool start_array(size_t) override { return open(); }
    bool end_array() override { return close(); }
    bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

  private:
    bool value() { return ++m_values <= m_limits.values; }
    bool open() {
        m_keysOfOpen.push_back(0);
        return value() && static_cast<int>(m_keysOfOpen.size()) <= m_limits.depth;
    }
    bool close() {
        m_keysOfOpen.pop_back();
        return true;
    }

    const JsonLimits m_limits;
    size_t m_keys = 0;
    size_t m_values = 0;
    std::vector<size_t> m_keysOfOpen;  ///< of each object, or array, that has begun
};

/// Parses `text`. The value is discarded (`is_discarded()`) if `text` is not JSON or exceeds the limits. Does
/// not throw.
template <typename Json>
Json parseBounded(std::string_view text, const JsonLimits& limits = {}) {
    // Counted first: with a callback the library looks through all elements of an array at the end of each.
    JsonCounter<Json> counter(limits);
    if (!Json::sax_parse(text, &counter)) return Json(Json::value_t::discarded);
    return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace ingle
