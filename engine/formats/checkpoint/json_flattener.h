/// JSON as keys and values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "engine/formats/checkpoint/json_walk.h"
#include "engine/formats/model_file.h"

namespace ingle::formats {

/// The values of objects in objects stand under "outer.inner", those of objects in arrays under
/// "array.0.inner"; arrays of numbers, truth values or texts are one value. Null is no value. A key that
/// comes again replaces what it held.
class JsonFlattener : public JsonVisitor {
  public:
    Status key(const JsonPath& path) override;
    Status value(const JsonPath& path, const JsonValue& value) override;
    void emptyArray(const JsonPath& path) override;
    /// Keys that hold null, or an array of nothing.
    const std::set<std::string, std::less<>>& nulls() const { return m_nulls; }
    /// Called once, last.
    Metadata take();

  private:
    void append(const std::string& name, const MetaValue& value);
    template <typename T>
    void push(const std::string& name, T value);

    std::map<std::string, MetaValue, std::less<>> m_values;
    std::set<std::string, std::less<>> m_nulls;
};

/// Errors: Corrupt.
Result<Metadata> flattenJson(std::string_view text);

}  // namespace ingle::formats
