/// Reading JSON of any size without holding it: keys and values as they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingle/result.h"

namespace ingle::formats {

/// A key of an object, or a place in an array.
struct JsonStep {
    std::string key;
    uint64_t index = 0;
    bool isIndex = false;
};

/// From the outermost value inwards.
using JsonPath = std::vector<JsonStep>;
using JsonValue = std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string_view>;

class JsonVisitor {
  public:
    virtual ~JsonVisitor() = default;
    /// A key of an object begins; the path ends in it. Keys may come more than once.
    virtual Status key(const JsonPath& path) = 0;
    /// A number, a text, a truth value or null. Objects and arrays are told by what they hold.
    virtual Status value(const JsonPath& path, const JsonValue& value) = 0;
    /// An array that holds nothing; the path ends in what it stands under.
    virtual void emptyArray(const JsonPath& /*path*/) {}
};

/// Errors: Corrupt (no JSON, not an object, nested deeper than any file of ours), and the visitor's.
Status walkJson(std::string_view text, JsonVisitor& visitor);

/// Whether the text begins as an object of JSON does.
bool looksLikeJson(std::string_view text);

}  // namespace ingle::formats
