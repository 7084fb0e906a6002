/// A JSON Schema as it was written, with references that all begin at its root.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/meter.h"
#include "ingle/result.h"

namespace ingle::grammar {

/// What copying or comparing a value costs: its parts, and the bytes of its texts.
size_t sizeOf(const nlohmann::ordered_json& json);

/// Immutable, but for the work that is counted while rules are made of it, by one thread.
class SchemaDocument {
  public:
    using Json = nlohmann::ordered_json;

    /// References to a part with an `$id` of its own, and to an `$anchor`, become pointers from the root.
    /// Errors: InvalidArgument; a reference to another document.
    static Result<SchemaDocument> parse(std::string_view text);

    const Json& root() const { return m_root; }
    /// What a pointer such as "#/$defs/P" points to; null: there is nothing.
    const Json* at(std::string_view pointer) const;

    /// Work on the way to rules, in about bytes that are compared; 16 for each byte that is kept. Errors:
    /// Unsupported when a schema takes too much of it; Cancelled.
    Status spend(size_t work) const { return m_meter.spend(work); }
    base::Meter& meter() const { return m_meter; }

  private:
    static constexpr size_t kMostWork = size_t{128} << 20;

    Json m_root;
    mutable base::Meter m_meter{kMostWork, "the schema takes too long to be read"};
};

}  // namespace ingle::grammar
